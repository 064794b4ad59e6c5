"""The configuration file, prices, and the location of the shipped corpus."""
