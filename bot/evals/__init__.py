"""Conversation tasks: a scripted customer talks to the whole product, and what became of it is scored."""
