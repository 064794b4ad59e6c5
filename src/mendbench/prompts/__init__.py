"""Responses made elsewhere: which prompts have no response, the lines that they travel in, and the way back into the cassettes."""
