"""The repair loop: its policies, its prompts' answers, and the edits that they make."""
