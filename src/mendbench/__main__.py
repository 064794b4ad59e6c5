"""``python -m mendbench``."""

from mendbench.cli.main import main

if __name__ == "__main__":
    main()
