"""Answers made elsewhere: which prompts have no answer, the lines that they travel in, and the way back into the cassettes."""
