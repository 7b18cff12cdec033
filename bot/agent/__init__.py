"""The agent: loop, history, prompt, checks."""
