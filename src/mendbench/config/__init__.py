"""What the operator sets: the configuration file, prices, and where the shipped corpus lies."""
