"""Run with ``python -m reproduction``."""

import sys

from reproduction.command_line import run

if __name__ == "__main__":
    sys.exit(run())
