"""Count votes from Parquet in flat memory: how much of the processor's sgemm peak is left of it.

Votes are written by a process of their own, then counted a part at a time. Times are processor
times, which other programs disturb least; the peak is that of a large float32 matrix product in the
same process. A count needs three symmetric products of M x n matrices, for which a full product
would take 2 M^2 n operations each: the share compares these with the peak. A sample is counted
again from plain arrays, and must give the same integers.

Run: python benchmarks/counting.py --samples 10000000 --folder scratch
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import pyarrow as arrow
from forest import timed
from pyarrow import parquet

from tandemvote import VoteCounts, Votes
from tandemvote.votes.counting import count_votes
from tandemvote.votes.counts import INTEGER_FIELDS
from tandemvote.votes.reading import VoteFiles

N_PRODUCTS = 3
ERROR_BYTES, HELD_OUT_BYTES = 40, 160
"""A voter errs, or holds a sample out, where a random byte is below: about 16 % and 63 %."""


def main() -> None:
    options = votes_parser(__doc__).parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        write_votes_apart(folder, options)
        measure(folder)


def votes_parser(description: str) -> argparse.ArgumentParser:
    """Take what is to be written, and where."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--voters", type=int, default=300)
    parser.add_argument("--samples", type=int, default=300_000)
    parser.add_argument("--file-samples", type=int, default=2_500_000, help="samples per file")
    parser.add_argument("--group-samples", type=int, default=100_000, help="samples per row group")
    parser.add_argument("--dictionary", action="store_true", help="a quarter of the size on disk")
    parser.add_argument("--folder", type=Path, help="where the votes lie for the while")
    return parser


def write_votes_apart(folder: str, options: argparse.Namespace) -> None:
    """Write in another process, whose memory must not be taken for that of reading."""
    writer = get_context("spawn").Process(target=write_votes, args=(folder, options))
    writer.start()
    writer.join()
    if writer.exitcode:
        raise SystemExit("Writing the votes failed.")


def write_votes(folder: str, options: argparse.Namespace) -> None:
    """Write files of two classes, one row group at a time."""
    rng = np.random.default_rng(0)
    names = ["label", *(f"voter_{i}" for i in range(options.voters))]
    schema = arrow.schema([(name, arrow.int8()) for name in names])
    for start in range(0, options.samples, options.file_samples):
        path = Path(folder, f"{start:012}.parquet")
        stop = min(start + options.file_samples, options.samples)
        with parquet.ParquetWriter(path, schema, use_dictionary=options.dictionary) as writer:
            for first in range(start, stop, options.group_samples):
                n_samples = min(options.group_samples, stop - first)
                writer.write_table(random_votes(rng, n_samples, schema))


def random_votes(rng: np.random.Generator, n_samples: int, schema: arrow.Schema) -> arrow.Table:
    labels = rng.integers(2, size=n_samples, dtype=np.int8)
    columns = [arrow.array(labels)]
    for _ in schema.names[1:]:
        flips, draws = rng.integers(256, size=(2, n_samples), dtype=np.uint8)
        predictions = labels ^ (flips < ERROR_BYTES)
        columns.append(arrow.array(predictions, mask=draws >= HELD_OUT_BYTES))
    return arrow.table(columns, schema=schema)


def measure(folder: str) -> None:
    size = sum(path.stat().st_size for path in Path(folder).iterdir())
    votes = VoteFiles(folder, target="label")
    print(f"{votes}, {size / 2**30:.2f} GiB on disk")
    before = sgemm_peak()
    start, clock = process_time(), perf_counter()
    counts = count_votes(votes).counts
    spent, waited = process_time() - start, perf_counter() - clock
    peak = max(before, sgemm_peak())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    reading = read_alone(votes)
    operations = 2.0 * N_PRODUCTS * votes.n_voters**2 * votes.n_samples
    print(f"{counts}")
    print(f"processor time           {spent:9.1f} s ({waited:.1f} s by the clock)")
    print(f"samples per second       {votes.n_samples / spent:9.0f}")
    print(f"reading and decoding     {reading / spent:9.2f} of it, estimated from a part")
    print(f"sgemm peak of one core   {peak / 1e9:9.1f} Gflop/s")
    print(f"share of the peak        {operations / spent / peak:9.2f}")
    print(f"most memory resident     {memory:9.2f} GiB")
    print(f"sample equal, in integers{compare_sample(votes)!s:>9}")


def sgemm_peak(size: int = 2048, repeats: int = 5) -> float:
    """Operations per second of processor time, in the best of some large products."""
    square = np.random.default_rng(0).random((size, size), dtype=np.float32)
    shortest, _ = timed(lambda: square @ square, repeats)
    return 2.0 * size**3 / shortest


def read_alone(votes: VoteFiles, n_pieces: int = 20) -> float:
    """Time to read everything, estimated from one piece of it."""
    piece = votes.split(n_pieces)[0]
    start = process_time()
    for _ in piece:
        pass
    return (process_time() - start) * votes.n_samples / piece.n_samples


def compare_sample(votes: VoteFiles) -> bool:
    """Count one row group from arrays, by way of a table in memory."""
    group = votes.row_groups[len(votes.row_groups) // 2]
    table = parquet.ParquetFile(group.path).read_row_group(group.place)
    cells = [table.column(name) for name in votes.voters]
    in_memory = VoteCounts.from_votes(
        Votes.from_predictions(
            np.stack([cell.fill_null(0).to_numpy() for cell in cells]),
            table.column(votes.target).to_numpy(),
            np.stack([cell.is_valid().to_numpy() for cell in cells]),
        )
    )
    piece = next(p for p in votes.split(len(votes.row_groups)) if group in p.row_groups)
    streamed = count_votes(piece).counts
    assert piece.row_groups == [group]
    return all(
        np.array_equal(getattr(in_memory, name), getattr(streamed, name)) for name in INTEGER_FIELDS
    )


if __name__ == "__main__":
    main()
