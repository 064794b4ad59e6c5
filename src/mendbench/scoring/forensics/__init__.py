"""Where attempts went, and what wrong warnings cost."""
