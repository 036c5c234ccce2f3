"""Error rates of encoders for text columns, on tables with text: docs/benchmarks/tables.rst.

Real tables are those of the reproduction (TANDEMVOTE_DATA), with text in place of codes. Run with
OMP_NUM_THREADS=1; takes about ten minutes.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder, TargetEncoder

from tandemvote.tables import with_encoder

Labeled = tuple[pd.DataFrame, NDArray[Any]]

REAL = ("adult", "mushroom", "connect-4", "phishing", "splice")
N_SPLITS, N_TRAIN, N_TEST, N_SIMULATED = 4, 4000, 6000, 9000
SYLLABLES = [
    first + last
    for first in ("ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "zu")
    for last in ("bel", "dor", "fin", "gas", "hut", "jam", "lek", "mon", "pir", "tas")
]


def words(codes: NDArray[Any], seed: int) -> NDArray[Any]:
    """Return a name for each code, in no order."""
    names = [f"{word}{number or ''}" for number in range(20) for word in SYLLABLES]
    return np.random.default_rng(seed).permutation(names)[codes]


def one_hot_groups(X: NDArray[Any]) -> list[tuple[int, int]]:
    """Return ranges of columns of which at most one is 1 in every row."""
    ends, total = [0], np.zeros(len(X), int)
    for place in range(X.shape[1]):
        total = total + X[:, place]
        if total.max() > 1:
            ends.append(place)
            total = X[:, place].astype(int)
    return list(zip(ends, [*ends[1:], X.shape[1]], strict=True))


def real_table(name: str) -> Labeled:
    arrays = np.load(Path(os.environ["TANDEMVOTE_DATA"], f"{name}.npz"))
    X = arrays["X"]
    if X.max() == 1:
        parts = [X[:, first:last] for first, last in one_hot_groups(X)]
        X = np.column_stack([np.where(part.any(1), part.argmax(1) + 1, 0) for part in parts])
    columns = {f"c{place}": words(X[:, place], place) for place in range(X.shape[1])}
    return pd.DataFrame(columns), arrays["y"]


def shops(rng: np.random.Generator, n: int = N_SIMULATED) -> Labeled:
    """300 shops of Zipf's frequencies with effects of their own."""
    frequency = 1 / np.arange(1, 301)
    shop = rng.choice(300, n, p=frequency / frequency.sum())
    effect, color = rng.normal(size=300) * 1.5, rng.integers(6, size=n)
    numbers = rng.normal(size=(n, 4))
    score = effect[shop] + numbers[:, 0] + 0.7 * (color == 2) * numbers[:, 1]
    frame = pd.DataFrame(numbers, columns=list("abcd"))
    frame = frame.assign(shop=words(shop, 1), color=words(color, 2))
    return frame, (score + rng.logistic(size=n) * 0.7 > 0.3).astype(int)


def products(rng: np.random.Generator, n: int = N_SIMULATED) -> Labeled:
    """40 brands and 12 types that interact, four classes."""
    brand, kind = rng.integers(40, size=n), rng.integers(12, size=n)
    price, day = rng.gamma(2, size=n), rng.integers(7, size=n)
    effects = [rng.normal(size=shape) for shape in ((40, 4), (12, 4), (40, 12, 4))]
    score = effects[0][brand] + effects[1][kind] + 0.7 * effects[2][brand, kind]
    score = score + price[:, None] * np.array([0.3, -0.3, 0.2, -0.2])
    columns = {"brand": words(brand, 3), "kind": words(kind, 4), "price": price}
    frame = pd.DataFrame(columns | {"day": words(day, 5)})
    return frame, (score + rng.gumbel(size=(n, 4)) * 0.7).argmax(axis=1)


def patients(rng: np.random.Generator, n: int = N_SIMULATED) -> Labeled:
    """150 nested diagnosis codes, numbers and gaps, three classes."""
    top, ward = rng.integers(10, size=n), rng.integers(8, size=n)
    code = top * 15 + rng.integers(15, size=n)
    numbers, tops, codes = rng.normal(size=(n, 6)), rng.normal(size=10), rng.normal(size=150)
    score = tops[top] + 0.7 * codes[code] + numbers[:, 0] * (0.5 + (ward < 4)) - numbers[:, 1]
    frame = pd.DataFrame(numbers, columns=[f"n{place}" for place in range(6)])
    frame["code"] = [f"{chr(65 + each // 15)}{each % 15:02d}" for each in code]
    frame["ward"] = words(ward, 6)
    labels = np.digitize(score + rng.logistic(size=n) * 0.5, [-1, 1])
    return frame.mask(rng.random(frame.shape) < 0.03), labels


def hashed(X: pd.DataFrame) -> pd.DataFrame:
    """Return one number per text, computed from the text alone."""
    return X.map(lambda text: int.from_bytes(blake2b(str(text).encode(), digest_size=3).digest()))


def methods(text: list[str], kinds: dict[str, str]) -> dict[str, Any]:
    def encoded(encoder: Any, classifier: Any) -> Any:
        return make_pipeline(
            ColumnTransformer([("text", encoder, text)], remainder="passthrough"), classifier
        )

    ordinal = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    boosting = HistGradientBoostingClassifier(early_stopping=False)
    return {
        "forest, hash": encoded(FunctionTransformer(hashed), RandomForestClassifier()),
        "forest, ordinal": encoded(ordinal, RandomForestClassifier()),
        "forest, target": encoded(TargetEncoder(), RandomForestClassifier()),
        "forest, built in": with_encoder(RandomForestClassifier(), kinds),
        "boosting, hash": encoded(FunctionTransformer(hashed), boosting),
        "boosting, native": with_encoder(
            HistGradientBoostingClassifier(early_stopping=False), kinds
        ),
    }


def error_rates(X: pd.DataFrame, y: NDArray[Any]) -> dict[str, float]:
    """Return the mean error rate of each method."""
    text = [name for name in X if X[name].dtype.kind == "O"]
    kinds = {name: "category" if name in text else "number" for name in X}
    codes, total = np.unique(y, return_inverse=True)[1], dict.fromkeys(methods(text, kinds), 0.0)
    for seed in range(N_SPLITS):
        order = np.random.default_rng(seed).permutation(len(y))
        n_train = min(N_TRAIN, len(y) * 2 // 3)
        training, test = order[:n_train], order[n_train : n_train + N_TEST]
        for name, model in methods(text, kinds).items():
            model[-1].set_params(random_state=seed)
            model.fit(X.iloc[training], codes[training])
            total[name] += float((model.predict(X.iloc[test]) != codes[test]).mean()) / N_SPLITS
    return total


def main() -> None:
    simulated = [shops, products, patients]
    tables = {name: (lambda name=name: real_table(name)) for name in REAL}
    tables |= {
        each.__name__: (lambda each=each: each(np.random.default_rng(0))) for each in simulated
    }
    for name, load in tables.items():
        rates = error_rates(*load())
        print(
            name, *(f"{method} {rate:.4f}" for method, rate in rates.items()), sep="  ", flush=True
        )


if __name__ == "__main__":
    main()
