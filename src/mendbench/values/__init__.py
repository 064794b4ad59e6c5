"""Values in memory: patches of JSON, schemas, sizes, interning, and an LRU cache."""
