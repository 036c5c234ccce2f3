"""Let ``python -m tandemvote`` be the command ``tandemvote``."""

from tandemvote.cli import main

if __name__ == "__main__":
    main()
