"""How attempts were used, and what wrong warnings cost."""
