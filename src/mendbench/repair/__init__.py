"""The repair loop: its policies, the responses to its prompts, and their edits."""
