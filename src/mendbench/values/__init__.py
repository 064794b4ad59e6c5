"""Values in memory: patches of JSON, schemas, sizes, interning, an LRU cache, and garbage collection."""
