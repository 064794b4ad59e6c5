"""The node types: one module each, discovered by :mod:`mendbench.runtime.nodes.registry`."""
