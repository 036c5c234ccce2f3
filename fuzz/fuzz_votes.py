"""Feed bytes to the reader of votes tables; see README.md."""

import sys
import tempfile
import warnings
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["tandemvote.votes"]):
    from tandemvote.tables.errors import LONGEST_MESSAGE
    from tandemvote.votes.counts import VoteCounts
    from tandemvote.votes.reading import read_votes
    from tandemvote.votes.vote_tables import VotesFileError

FOLDER = tempfile.TemporaryDirectory()
TABLE = Path(FOLDER.name, "votes.csv")


def one_input(data: bytes) -> None:
    """Read and count; only the promised error may come out."""
    # Half of the inputs start like a table, or most would end at the missing label column.
    TABLE.write_bytes(b"label,first,second\n" + data[1:] if data[:1] < b"\x80" else data[1:])
    try:
        VoteCounts.from_votes(read_votes(TABLE, target="label"))
    except VotesFileError as error:
        assert str(error).isprintable() and len(str(error)) <= LONGEST_MESSAGE, str(error)


if __name__ == "__main__":
    warnings.simplefilter("error")
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
