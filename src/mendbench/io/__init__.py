"""Files and clocks: bounded readers, atomic writers, JSON and YAML, temporary folders."""
