"""Programs run with limits: supervised, sandboxed, and with no process left running after them."""
