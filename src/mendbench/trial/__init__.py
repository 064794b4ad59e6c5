"""One trial, from the components that its key names to its row."""
