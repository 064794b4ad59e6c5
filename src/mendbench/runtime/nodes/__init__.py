"""The node types: one module each, found by :mod:`mendbench.runtime.nodes.registry`."""
