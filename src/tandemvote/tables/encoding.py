"""Classifiers for tables with text columns: encoders are trained with each model, on its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import KFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, TargetEncoder

from tandemvote.tables.kinds import CATEGORY
from tandemvote.votes.printable import shown

FEW_CATEGORIES = 10
"""Categories of a column with a feature for each, as measured in docs/benchmarks/tables.rst."""

MOST_NATIVE = 254
"""Categories of a column that gradient boosting distinguishes; it has 255 bins."""


def with_encoder(classifier: Any, kinds: Mapping[str, str]) -> Any:
    """Return a pipeline of an encoder for text columns and a classifier, not yet fitted.

    Each model of a committee then fits the encoder on its own training rows.

    Parameters
    ----------
    classifier : classifier
        Histogram gradient boosting gets categories as such. Other classifiers get one feature per
        category, or the rates of the classes by category where a column has many categories.
    kinds : mapping of str to str
        Kind of each column, as in `Table.kinds`.

    Returns
    -------
    classifier : Pipeline
        The classifier itself if there are no text columns.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> model = with_encoder(RandomForestClassifier(), {"size": "number", "color": "category"})
    >>> [name for name, _ in model.steps]
    ['encoder', 'classifier']
    """
    names = text_columns(kinds)
    if not names:
        return classifier
    if not isinstance(classifier, HistGradientBoostingClassifier):
        return Pipeline([("encoder", make_encoder()), ("classifier", classifier)])
    codes = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=np.nan, max_categories=MOST_NATIVE
    )
    encoder = ColumnTransformer([("codes", codes, names)], remainder="passthrough")
    classifier = classifier.set_params(categorical_features=list(range(len(names))))
    return Pipeline([("encoder", encoder), ("classifier", classifier)])


def make_encoder() -> ColumnTransformer:
    """Return an encoder of text columns as numbers, not yet fitted."""
    # scikit-learn 1.9 replaced the seed of the encoder by that of a splitter.
    seeded = TargetEncoder().get_params()["random_state"] != "deprecated"
    cv: Any = 5 if seeded else KFold(5, shuffle=True, random_state=0)
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return ColumnTransformer(
        [("one_hot", one_hot, few_categories), ("rates", TargetEncoder(cv=cv), many_categories)],
        remainder="passthrough",
    )


def text_columns(kinds: Mapping[str, str]) -> list[str]:
    """Return the names of the columns of categories."""
    return [name for name, kind in kinds.items() if kind == CATEGORY]


def few_categories(X: Any) -> list[str]:
    """Return the names of the text columns of a DataFrame with few categories."""
    return [name for name in X if X[name].dtype.kind == "O" and X[name].nunique() <= FEW_CATEGORIES]


def many_categories(X: Any) -> list[str]:
    """Return the names of the other text columns."""
    return [name for name in X if X[name].dtype.kind == "O" and X[name].nunique() > FEW_CATEGORIES]


def describe_unknown(model: Pipeline, X: Any) -> Iterator[str]:
    """Yield a sentence for each text column with categories that a model was not trained on."""
    classifier = model[-1]
    pipeline = getattr(classifier, "referee_", None) or classifier.estimators_[0]
    steps = {**getattr(pipeline, "named_steps", {}), **model.named_steps}
    for _, encoder, names in steps["encoder"].transformers_ if "encoder" in steps else ():
        for name, categories in zip(names, getattr(encoder, "categories_", ()), strict=False):
            unknown = X[name][X[name].notna() & ~X[name].isin(categories)]
            if len(unknown):
                yield (
                    f"note: Column {name!r} holds {shown(unknown.unique())} in {len(unknown)} of"
                    f" {len(X)} rows, on which the model was not trained."
                )
