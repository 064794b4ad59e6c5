"""Responses made elsewhere: finds prompts without a response, exports them as lines, and imports the responses into the cassettes."""
