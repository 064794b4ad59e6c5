"""``python -m mendbench``: the command line."""

from mendbench.cli.main import main

main()
