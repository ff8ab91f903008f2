"""``python -m queuecheck``: the command line."""

from queuecheck.cli import main

if __name__ == "__main__":
    main()
