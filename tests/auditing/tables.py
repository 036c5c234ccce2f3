"""Tables of independent rows, and tables with one thing that an audit must report."""

import numpy as np
import pandas as pd

N_ROWS = 600


def words(rng, n, low=6, high=30):
    vocabulary = np.array(
        [f"{a}{b}" for a in "bcdfglmnprst" for b in ("an", "er", "ing", "o", "us")]
    )
    chances = 1 / np.arange(1, len(vocabulary) + 1)
    chances /= chances.sum()
    return [" ".join(rng.choice(vocabulary, k, p=chances)) for k in rng.integers(low, high, n)]


def labels_of(score, rng):
    """Draw one of two or three classes for each score, with any strength of the dependence."""
    strength = rng.choice([0, 0.5, 2, 10])
    noisy = strength * score + rng.logistic(size=len(score))
    cuts = (
        np.quantile(noisy, rng.choice([0.1, 0.5]))
        if rng.random() < 0.7
        else np.quantile(noisy, [0.3, 0.7])
    )
    return np.searchsorted(np.atleast_1d(cuts), noisy)


def numbers(rng, n):
    """Measurements: rounded, skewed, counts, mixtures and whole numbers of any size."""
    latent = rng.normal(size=n)
    X = pd.DataFrame(
        {
            "normal": latent + rng.normal(size=n),
            "rounded": np.round(latent + rng.normal(size=n), rng.integers(0, 3)),
            "skewed": np.round(np.exp(3 + latent + rng.normal(size=n)), rng.integers(0, 3)),
            "count": rng.poisson(np.exp(latent.clip(-3, 3))),
            "zeros": np.where(rng.random(n) < 0.7, 0, np.round(latent, 2)),
            "score": np.round(10 * latent) / 10,
            "dollars": rng.integers(20_000, 2_000_000, n),
            "gaps": np.where(rng.random(n) < 0.2, np.nan, latent),
            "clock": rng.integers(1_500_000_000, 1_600_000_000, n),
        }
    )
    return X, labels_of(latent, rng)


def categories(rng, n):
    """Categories of 2 to 100 values, of any frequencies, that predict the label or do not."""
    X = pd.DataFrame()
    score = np.zeros(n)
    for name in "abcde":
        n_values = int(rng.choice([2, 5, 12, 30, 100]))
        frequencies = rng.dirichlet(np.full(n_values, rng.choice([0.5, 5.0])))
        codes = rng.choice(n_values, n, p=frequencies)
        score += rng.choice([0, 1]) * rng.normal(size=n_values)[codes]
        X[name] = codes if name == "e" else [f"{name}{code:03d}" for code in codes]
    X["flag"] = rng.random(n) < 0.5
    return X, labels_of(score, rng)


def dates(rng, n):
    """Dates and times in no order, as dates, texts and numbers, next to measurements."""
    X, y = numbers(rng, n)
    when = pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 2500, n), unit="D")
    X = X[["normal", "rounded"]].assign(
        date=when,
        iso=when.strftime("%Y-%m-%d"),
        us=when.strftime("%m/%d/%Y"),
        year=when.year,
        month=when.month,
        stamp=when.astype("int64"),
        clock=[
            f"{h:02d}:{m:02d}"
            for h, m in zip(rng.integers(24, size=n), rng.integers(60, size=n), strict=True)
        ],
    )
    return X, y


def texts(rng, n):
    """Free text, with labels that some words predict."""
    text = words(rng, n)
    score = np.array([each.count("an") for each in text], float)
    X = pd.DataFrame({"review": text, "length": [len(each) for each in text]})
    return X, labels_of((score - score.mean()) / score.std(), rng)


def keys(rng, n):
    """Categories of many values, each of one label: rows of one value may be drawn again."""
    n_values = int(rng.choice([60, 200, 600, 2000]))
    codes = rng.choice(n_values, n, p=rng.dirichlet(np.full(n_values, rng.choice([1.0, 1e6]))))
    X = pd.DataFrame({"place": [f"p{code:04d}" for code in codes], "size": rng.normal(size=n)})
    return X, rng.integers(2, size=n_values)[codes]


INDEPENDENT = {each.__name__: each for each in (numbers, categories, dates, texts, keys)}


def grouped(name, equal=True, similar=True):
    def draw(rng, n):
        n_groups = n // 5
        group = np.repeat(np.arange(n_groups), 5) if equal else rng.integers(n_groups, size=n)
        group = rng.permutation(group)
        measured = rng.normal(size=(n_groups, 4))[group] * similar + 0.1 * rng.normal(size=(n, 4))
        names = {
            "household": np.array([f"H{code:05d}" for code in rng.permutation(n_groups)]),
            "device": np.array([f"{code:012x}" for code in rng.integers(2**47, size=n_groups)]),
            "mrn": rng.integers(10**6, 10**7, n_groups),
        }.get(name, rng.permutation(n_groups) + 1)
        y = rng.integers(2, size=n_groups)[group]
        return pd.DataFrame(measured, columns=list("abcd")).assign(**{name: names[group]}), y

    return draw


def with_column(name, values):
    """Return a case: a table of numbers with one more column, made of its labels and a seed."""

    def draw(rng, n):
        X, y = numbers(rng, n)
        y = (y > 0).astype(int)
        return X.drop(columns="clock").assign(**{name: values(rng, n, y)}), y

    return draw


def sorted_by(key):
    def draw(rng, n):
        X, y = dates(rng, n)
        order = X.sort_values("date", kind="stable").index
        X = X[["normal", "rounded", key]] if key != "index" else X.set_index("date")[["normal"]]
        X = X.iloc[order]
        return (X if key == "index" else X.reset_index(drop=True)), y[order]

    return draw


def sorted_number(rng, n):
    X, y = numbers(rng, n)
    order = X.sort_values("rounded", kind="stable").index
    return X.iloc[order].reset_index(drop=True), y[order]


def year_month_day(rng, n):
    """Draw days of one year, in order, in three columns."""
    X, y = numbers(rng, n)
    days = pd.DatetimeIndex(
        np.sort(rng.integers(365, size=n)).astype("timedelta64[D]") + np.datetime64("2019")
    )
    return X[["normal", "rounded"]].assign(year=days.year, month=days.month, day=days.day), y


def dropped_date(rng, n):
    """Draw labels that depend on those before, as in a process, next to no date."""
    X, _ = numbers(rng, n)
    level = np.cumsum(rng.normal(size=n)) / 5
    level = 3 * (level - level.mean()) / level.std()
    return X.drop(columns="clock"), (rng.logistic(size=n) < level).astype(int)


def oversampled(form):
    def draw(rng, n):
        X, y = numbers(rng, n)
        y = (y > 0).astype(int)
        rare = np.flatnonzero(y == np.bincount(y).argmin())
        rows = np.append(np.arange(n), rng.choice(rare, max(n - 2 * rare.size, n // 10)))
        X = X[["normal", "skewed", "count", "gaps"]].iloc[rows].reset_index(drop=True)
        if form == "array":
            return X.to_numpy(), y[rows]
        if form == "new ids":
            return X.assign(
                row=rng.permutation(len(rows)),
                code=[f"{c:x}" for c in rng.integers(2**60, size=len(rows))],
            ), y[rows]
        return X, y[rows]

    return draw


def oversampled_texts(rng, n):
    text, y = np.array(words(rng, n), object), (rng.random(n) < 0.2).astype(int)
    rows = np.append(np.arange(n), rng.choice(np.flatnonzero(y), n // 2))
    return text[rows].tolist(), y[rows]


def reordered(rng, n):
    X, y = numbers(rng, n)
    return X, pd.Series(y).sample(frac=1, random_state=rng.integers(2**31))


def target(values):
    def draw(rng, n):
        X, _ = numbers(rng, n)
        return X.drop(columns="clock"), values(rng, n)

    return draw


def one_missing(rng, n):
    y = rng.integers(2, size=n).astype(float)
    y[rng.integers(n)] = np.nan
    return y


def one_text(rng, n, y):
    cells = [f"{value:.1f}" for value in rng.normal(size=n)]
    cells[rng.integers(n)] = "n.d."
    return cells


def shuffled_64_bits(rng, n, y):
    return rng.integers(-(2**63), 2**63 - 1, n)


def row_numbers(rng, n, y):
    return rng.permutation(n)


def hexadecimal(rng, n, y):
    return [f"{code:x}" for code in rng.integers(2**60, size=n)]


def other_names_of_classes(rng, n, y):
    return np.where(y, "open", "closed")


def texts_of_one_class(rng, n, y):
    return np.where(y, rng.choice(["price", "service"], size=n), None)


def numbers_of_one_class(rng, n, y):
    return np.where(y, rng.normal(size=n), np.nan)


def names_as_labels(rng, n):
    return [f"name {code}" for code in rng.integers(275, size=n)]


def one_of_a_class(rng, n):
    return np.append(rng.integers(2, size=n - 1), 2)


def names(rng, n, y):
    return [
        f"{a} {b}" for a, b in zip(words(rng, n, 1, 2), rng.integers(10**6, size=n), strict=True)
    ]


def visits(rng, n, y):
    return [f"PAT-{place // 3:04d}/visit{place % 3 + 1}" for place in rng.permutation(n)]


def ends_with(chance_of_one, chance_of_other):
    """Draw a week, the last one for nearly all rows of a class and hardly any other."""

    def draw(rng, n, y):
        chance = np.where(y, chance_of_one, chance_of_other)
        return np.where(rng.random(n) < chance, 52, rng.integers(1, 52, n))

    return draw


def of_three_classes(value, others):
    """Return a case: a table of three classes, and a column that reveals the last of them."""

    def draw(rng, n):
        X, _ = numbers(rng, n)
        y = rng.integers(3, size=n)
        column = np.where(y == 2, value(rng, n), others(rng, n))
        return X.drop(columns="clock").assign(balance=column), y

    return draw


def positive(rng, n):
    return 1 + rng.exponential(100, n).round(2)


def with_code(rng, n, y):
    return np.where(rng.random(n) < 0.05, -999, rng.normal(40, 10, n).round())


def livch(rng, n, y):
    return rng.choice(["0", "1", "2", "3+"], n, p=[0.3, 0.2, 0.2, 0.3])


def subjects(rng, n, y):
    """Draw the numbers of subjects, each with some rows that follow each other."""
    return np.repeat(np.arange(n), rng.integers(1, 8, n))[:n]


def two_spellings(rng, n):
    return rng.choice(["No", "no", "Yes", "yes"], n)


CASES = {
    "groups: beginnings of names": ("grouped_names", with_column("visit", visits)),
    "groups: id, whatever the labels": ("repeated_names", with_column("subject_id", subjects)),
    "leak: one value": ("leak", with_column("week", ends_with(1, 0.02))),
    "leak: one value, with exceptions": ("leak", with_column("week", ends_with(1, 0.035))),
    "leak: present for one class of three": ("leak", of_three_classes(
        positive, lambda rng, n: np.full(n, np.nan))),
    "leak: zero for one class of three": ("leak", of_three_classes(
        lambda rng, n: np.zeros(n), positive)),
    "target: two spellings": ("label_spelling", target(two_spellings)),
    "cells: a category with 3+": ("text_values", with_column("livch", livch)),
    "cells: -999": ("missing_code", with_column("age", with_code)),
    **{f"groups: {name}": ("grouped_rows", grouped(name)) for name in (
        "patientid", "userid", "caseid", "mrn", "household", "device")},
    "groups: of random size": ("grouped_rows", grouped("patient", equal=False)),
    "groups: of unrelated rows": ("grouped_rows", grouped("patient", similar=False)),
    "identifier: row numbers, shuffled": ("identifier", with_column("nr", row_numbers)),
    "identifier: 64 bits, shuffled": ("identifier", with_column("key", shuffled_64_bits)),
    "identifier: hexadecimal": ("identifier", with_column("key", hexadecimal)),
    "identifier: names": ("identifier", with_column("who", names)),
    "free text": ("free_text", with_column("note", lambda rng, n, y: words(rng, n))),
    "copies: oversampled array": ("copied_rows", oversampled("array")),
    "copies: oversampled DataFrame": ("copied_rows", oversampled("frame")),
    "copies: oversampled, with new ids": ("copied_rows", oversampled("new ids")),
    "copies: oversampled texts": ("copied_rows", oversampled_texts),
    "order: date": ("time_order", sorted_by("date")),
    "order: date as text": ("time_order", sorted_by("iso")),
    "order: US date as text": ("time_order", sorted_by("us")),
    "order: year, with ties": ("time_order", sorted_by("year")),
    "order: index of dates": ("time_order", sorted_by("index")),
    "order: year, month and day": ("sorted_rows", year_month_day),
    "order: number, with ties": ("sorted_rows", sorted_number),
    "order: dropped date": ("row_order", dropped_date),
    "order: y in another index order": ("index_order", reordered),
    "leak: copy under another name": ("leak", with_column("status", other_names_of_classes)),
    "leak: score": ("leak", with_column("score", lambda rng, n, y: y + rng.random(n))),
    "leak: texts of one class only": ("leak", with_column("reason", texts_of_one_class)),
    "leak: numbers of one class only": ("leak", with_column("refund", numbers_of_one_class)),
    "target: measurement": ("measurement_target", target(lambda rng, n: rng.normal(size=n))),
    "target: counts": ("measurement_target", target(lambda rng, n: rng.poisson(300, size=n))),
    "target: names": ("name_target", target(names_as_labels)),
    "target: one missing": ("missing_target", target(one_missing)),
    "target: class with one row": ("rare_classes", target(one_of_a_class)),
    "cells: one text among numbers": ("stray_text", with_column("size", one_text)),
    "cells: decimal commas": ("decimal_comma", with_column(
        "size", lambda rng, n, y: [f"{v:.2f}".replace(".", ",") for v in rng.normal(size=n)])),
}  # fmt: skip
"""What each case shows, and how a table of it is drawn."""

WARNINGS = {
    *("free_text", "time_order", "sorted_rows", "row_order", "leak", "rare_classes"),
    *("missing_code", "label_spelling"),
}
"""Codes of cases that are warnings; one is a note, and the others are errors."""


def is_reported(findings, code):
    severity = "warning" if code in WARNINGS else "error"
    severity = "note" if code == "repeated_names" else severity
    return any(each.code == code and each.severity == severity for each in findings)
