"""Pure functions that judge and score trials from stored evidence. Nothing here performs I/O or runs workflows."""
