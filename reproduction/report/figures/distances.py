"""How far bounds are from the test risk: one line per data set, logarithmic scale."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, StrMethodFormatter

from reproduction.report.beyond import Answer, all_answers
from reproduction.report.figures.style import COLORS, RISK_COLOR, figure_of, panels, titles
from reproduction.report.frames import dataset_order

SERIES = {
    "published": ("s", "#999999", "tighter of FO and TND, as published"),
    "held_out": ("o", COLORS["first_order"], "tightest from held-out votes, sharpened"),
    "vote_profile": ("D", COLORS["disagreement_bound"], "VP: and unlabeled samples"),
    "test_set": ("v", COLORS["tandem"], "TEST: n labels"),
}
"""Marker, color and label of each series, the loosest bound first."""


def bound_distances(rows: pd.DataFrame) -> Figure:
    """Test risk and bounds, means over repetitions; a test risk of 0 falls off the scale."""
    answers, names = all_answers(rows), titles(rows)
    sets = [name for name in dataset_order(answers) if name in answers]
    axes = panels(1, columns=1, width=6.8, height=0.24 * len(sets) + 1.2)[0]
    for place, name in enumerate(sets):
        values = _values(answers[name])
        axes.plot(
            [min(values), max(values)], [place, place], color="#cccccc", linewidth=1, zorder=1
        )
    for column, (marker, color, words) in SERIES.items():
        values = [getattr(answers[name], column) for name in sets]
        axes.plot(
            values, range(len(sets)), marker, color=color, markersize=4.5, label=words, zorder=2
        )
    risks = [(answers[name].test_risk, place) for place, name in enumerate(sets)]
    seen = [(risk, place) for risk, place in risks if risk > 0]
    axes.plot(
        [risk for risk, _ in seen],
        [place for _, place in seen],
        "|",
        color=RISK_COLOR,
        markersize=10,
        markeredgewidth=2,
        label="test risk",
        zorder=3,
    )
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(visible=True, axis="x")
    axes.grid(visible=False, axis="y")
    axes.set_xlim(right=1.0)
    axes.set_yticks(range(len(sets)), [names[name] for name in sets])
    axes.invert_yaxis()
    axes.set_xlabel("rate of errors")
    figure = figure_of([axes])
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def _values(answer: Answer) -> list[float]:
    values = [getattr(answer, column) for column in SERIES]
    return [*values, answer.test_risk] if answer.test_risk > 0 else values
