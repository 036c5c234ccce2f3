"""Feed extreme counts, weights and deltas to the verifier's formulas; see README.md."""

import sys

import atheris
import numpy as np

with atheris.instrument_imports(include=["tandemvote.verify"]):
    from tandemvote.certificate_file.record import MAX_POINTS, CertificateRecord, StatedBound
    from tandemvote.verify import verify_record
    from tandemvote.verify.rules import RULES
    from tandemvote.verify.sample_sizes import SAMPLE_SIZES

SIZES = (0, 1, 2, 3, 100, 10**4, 10**6, MAX_POINTS)


def one_input(data: bytes) -> None:
    """Verify a record of possible counts and any weights; nothing may be raised."""
    draw = atheris.FuzzedDataProvider(data)
    n_voters = draw.ConsumeIntInRange(1, 3)
    own = [_count(draw, MAX_POINTS) for _ in range(n_voters)]
    own_errors = [_count(draw, size) for size in own]
    unlabelled = _count(draw, MAX_POINTS - max(own))
    triangles: dict[str, list[int]] = {"o": [], "t": [], "d": [], "u": []}
    for second in range(n_voters):
        for first in range(second + 1):
            same = first == second
            overlap = own[first] if same else _count(draw, min(own[first], own[second]))
            wrong = min(own_errors[first], own_errors[second], overlap)
            wrong = own_errors[first] if same else _count(draw, wrong)
            triangles["o"].append(overlap)
            triangles["t"].append(wrong)
            triangles["d"].append(0 if same else _count(draw, overlap - wrong))
            triangles["u"].append(0 if same else _count(draw, unlabelled))
    overlaps, wrong, differ, extra = (np.array(t) for t in triangles.values())
    delta = draw.ConsumeProbability() or 0.05
    chosen = draw.PickValueInList(sorted(RULES))
    record = CertificateRecord(
        bound="tandem",
        value=1.0,
        printed="1.000",
        delta=min(delta, 0.999),
        share=min(delta, 0.999),
        candidates=("tandem",),
        sharpening=draw.PickValueInList(sorted(SAMPLE_SIZES)),
        bounds={
            name: StatedBound(value=1.0, printed="1.000", delta=min(delta, 0.999))
            for name in [chosen]
        }
        | {"tandem": StatedBound(value=1.0, printed="1.000", delta=min(delta, 0.999))},
        weights=_weights(draw, n_voters),
        prior=_weights(draw, n_voters),
        n_voters=n_voters,
        counts={
            "tandem_errors": wrong,
            "overlaps": overlaps,
            "disagreements": differ + extra,
            "disagreement_overlaps": overlaps + unlabelled,
            "lone_errors": differ,
            "unlabelled_disagreements": extra,
        },
        profile=_profile(draw) if chosen == "vote_profile" else None,
        test=(_count(draw, 1000), 1000) if chosen == "test_set" else None,
        classes=(0, 1),
        attestations=(),
        notes=(),
        versions={},
        digest="",
        expected_digest="",
    )
    verify_record(record, rigorous=draw.ConsumeBool())


def _profile(draw: atheris.FuzzedDataProvider) -> tuple[np.ndarray, np.ndarray]:
    """Return shares of a vote at a few points: equal ones, ties, and certain ones among them."""
    n_points = draw.ConsumeIntInRange(1, 8)
    gaps = np.array([draw.PickValueInList([0.0, 1e-300, 0.1, 0.5, 1.0]) for _ in range(n_points)])
    return (1.0 + gaps) / 2.0, gaps


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
