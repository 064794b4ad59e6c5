"""Programs run within bounds: supervised, sandboxed, and with nothing left running after them."""
