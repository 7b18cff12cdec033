"""The web half: webhooks, staff pages, health."""
