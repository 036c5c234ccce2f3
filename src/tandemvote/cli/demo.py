"""``tandemvote demo``: the three schemes next to each other on bundled data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tandemvote.cli.messages import say
from tandemvote.cli.options import option
from tandemvote.cli.outputs import check_outputs


def demo(
    report: Path = option(Path("report.html"), "FILE", "HTML report to write."),
    trees: int = option(100, "NUMBER", "Trees in each forest.", min=2),
) -> None:
    """Certify random forests on bundled data with each scheme, and write a report. No network."""
    check_outputs({"report": report})
    from sklearn.datasets import load_digits
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import train_test_split

    from tandemvote import CertifiedClassifier, CertifiedForestClassifier, certify_oob
    from tandemvote.certificate.rendering import TextTable, rate
    from tandemvote.report import write_report

    X, y = load_digits(return_X_y=True)
    forest = RandomForestClassifier(trees)
    committee = CertifiedClassifier(forest, random_state=0)
    holdout = CertifiedClassifier(forest, n_tested=1, referee=False, random_state=0)
    voting = CertifiedForestClassifier(trees, weights="tandem", max_samples=0.5, random_state=0)
    rows = []
    for scheme, model, words in (
        ("committee", committee, "forests are tested together, one more is trained on all labels"),
        ("holdout", holdout, "1 forest is tested; the test labels train nothing"),
        ("trees", voting, "the paper: every tree votes, no test set"),
    ):
        certificate: Any = model.fit(X, y).certificate_
        bound = certificate.limits.removeprefix("<= ")
        rows.append([scheme, rate(certificate.observed), bound, words])
    data = f"scikit-learn's digits data, {len(y):,} samples"
    write_report(report, certified=committee, description=data)
    table = TextTable(["scheme", "observed", "guaranteed (95%)", ""], "<>><", rows)
    say(f"How often will a classifier of handwritten digits be wrong? {len(y):,} samples.\n")
    say("\n".join([*table.lines(), "", f"The committee: {committee.certificate_}", ""]))
    say(f"{committee.certificate_.guarantee}\n")
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
    forest = RandomForestClassifier(trees, random_state=0).fit(X, y)
    rows = []
    for bound, label in (("first_order", "FO"), ("tandem", "TND")):
        for weights in ("uniform", bound):
            papers = certify_oob(forest, X, y, bound=bound, weights=weights, published=True)
            error = float((papers.predict(X_test) != y_test).mean())
            words = "uniform" if weights == "uniform" else f"minimize {label}"
            rows.append([label, words, rate(error), rate(papers.value)])
    table = TextTable(["the paper", "weights", "test error", "bound (95%)"], "<<>>", rows)
    say("\n".join([*table.lines(), "", f"Report with pictures: {report}"]))
