"""Feed extreme counts, weights and deltas to the verifier's formulas; see README.md."""

import sys

import atheris
import numpy as np

with atheris.instrument_imports(include=["tandemvote.verify"]):
    from tandemvote.record.assumptions import standard_assumptions
    from tandemvote.record.document import (
        PAIR_COUNTS,
        TEST_SET,
        VOTE_PROFILE,
        CertificateRecord,
        Document,
        StatedTest,
    )
    from tandemvote.record.encodings import MAX_SAMPLES
    from tandemvote.verify import verify_file
    from tandemvote.verify.rules import RULES

SIZES = (0, 1, 2, 3, 100, 10**4, 10**6, MAX_SAMPLES)


def one_input(data: bytes) -> None:
    """Verify a record of possible counts and any weights; nothing may be raised."""
    draw = atheris.FuzzedDataProvider(data)
    n_voters = draw.ConsumeIntInRange(1, 3)
    counts = _possible_counts(draw, n_voters)
    names = {"tandem", draw.PickValueInList(sorted(RULES))}
    if draw.ConsumeBool():
        names.remove("tandem")
    names = names or {"tandem"}
    n_samples = int(counts["overlaps"].max())
    test = StatedTest(n_errors=_count(draw, n_samples), n_samples=n_samples)
    record = CertificateRecord(
        metric="error",
        direction="at most",
        value=1.0,
        printed="1.000",
        bound=max(names),
        delta=min(draw.ConsumeProbability() or 0.05, 0.5),
        candidates=dict.fromkeys(names, 1.0),
        published=draw.ConsumeBool(),
        deployed=None,
        members=None,
        one_row_per_group=False,
        group=None,
        measure=None,
        class_counts=(n_samples, 0),
        observed=test if draw.ConsumeBool() else None,
        test=test if TEST_SET in names else None,
        weights=_weights(draw, n_voters),
        fitted=None,
        prior=_weights(draw, n_voters),
        classes=(0, 1),
        findings=(),
        assumptions=standard_assumptions(profile=True, test_set=True),
        profile=_profile(draw) if VOTE_PROFILE in names else None,
        counts=counts,
    )
    document = Document(versions={}, groupings=(), certificates=(record,))
    verify_file(document, rigorous=draw.ConsumeBool())


def _possible_counts(draw: atheris.FuzzedDataProvider, n_voters: int) -> dict[str, np.ndarray]:
    """Count a few kinds of samples, each of which occurs up to billions of times."""
    counts = {name: np.zeros((n_voters, n_voters), np.int64) for name in PAIR_COUNTS}
    n_kinds = draw.ConsumeIntInRange(1, 6)
    for kind in range(n_kinds):
        times = _count(draw, MAX_SAMPLES // (2 * n_kinds))
        wrong = np.array([draw.ConsumeBool() for _ in range(n_voters)])
        differs = wrong[:, None] != wrong
        if kind and draw.ConsumeBool():  # without labels
            counts["disagreement_overlaps"] += times
            counts["unlabeled_disagreements"] += times * differs
            counts["disagreements"] += times * differs
            continue
        held_out = np.array([not kind or draw.ConsumeBool() for _ in range(n_voters)])
        both = held_out[:, None] & held_out
        counts["overlaps"] += times * both
        counts["disagreement_overlaps"] += times * both
        counts["tandem_errors"] += times * (both & wrong[:, None] & wrong)
        counts["lone_errors"] += times * (both & differs)
        counts["disagreements"] += times * (both & differs)
    return counts


def _profile(draw: atheris.FuzzedDataProvider) -> dict[str, np.ndarray]:
    """Return shares of a vote at a few samples: equal ones, ties, and certain ones among them."""
    n_samples = draw.ConsumeIntInRange(1, 8)
    gaps = np.array([draw.PickValueInList([0.0, 1e-300, 0.1, 0.5, 1.0]) for _ in range(n_samples)])
    return {"leads": (1.0 + gaps) / 2.0, "gaps": gaps}


def _count(draw: atheris.FuzzedDataProvider, most: int) -> int:
    if draw.ConsumeBool():
        return min(draw.PickValueInList(list(SIZES)), most)
    return draw.ConsumeIntInRange(0, min(most, 10**6))


def _weights(draw: atheris.FuzzedDataProvider, n_voters: int) -> tuple[float, ...]:
    """Return weights that sum to 1, tiny ones among them."""
    tiny = [
        draw.PickValueInList([0.0, -0.0, 5e-324, 1e-300, 1e-160, 1e-17, 0.1])
        for _ in range(n_voters - 1)
    ]
    return (*tiny, 1.0 - sum(tiny))


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
