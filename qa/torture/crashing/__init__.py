"""What :mod:`qa.torture.crashes` is made of: children that are struck, commands to strike, and what must be left."""
