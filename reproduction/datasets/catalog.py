"""The 17 data sets of the paper (its appendix, table "Data set overview").

Sizes and class frequencies are those the paper prints; digests were taken from copies that match
them.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reproduction.datasets import recipes
from reproduction.datasets.entry import CatalogEntry, RawFile
from tandemvote.tables import DatasetError

PAPER = Path(__file__).parents[1] / "paper"


def paper_csv(name: str) -> list[dict[str, str]]:
    """Read one of the paper's tables, in ``paper/``.

    Examples
    --------
    >>> paper_csv("uniform_full_bounds")[0]["TND"]
    '0.57882'
    """
    text = (PAPER / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


_PRINTED = {row["dataset"]: row for row in paper_csv("datasets")}


def _entry(name: str, **known: Any) -> CatalogEntry:
    printed = _PRINTED[name]
    return CatalogEntry(
        name=name,
        n_samples=int(printed["N"]),
        n_features=int(printed["d"]),
        n_classes=int(printed["c"]),
        c_min=float(printed["c_min"]),
        c_max=float(printed["c_max"]),
        **known,
    )


def _libsvm(path: str, *, known_hash: str | None = None) -> RawFile:
    url = f"https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/{path}"
    return RawFile((url,), known_hash=known_hash)


def _uci(path: str) -> RawFile:
    return RawFile((f"https://archive.ics.uci.edu/ml/machine-learning-databases/{path}",))


def _idx(*folders: str) -> tuple[RawFile, ...]:
    names = [
        f"{part}-{content}-ubyte.gz"
        for part in ("train", "t10k")
        for content in ("images-idx3", "labels-idx1")
    ]
    return tuple(RawFile(tuple(folder + name for folder in folders)) for name in names)


_ENTRIES = (
    _entry(
        "Adult",
        source="LIBSVM a1a, then the rows of a9a that are not in it",
        files=(_libsvm("binary/a1a"), _libsvm("binary/a9a")),
        recipe=partial(recipes.libsvm_with_rest, n_features=123),
        digest="32d952c350bf9e3bb97e036f960f37c35d3290aa6eeb571418fa919e7eff6382",
        ordered=False,
        note=(
            "The paper joins a1a and a1a.t; a9a holds the same 32561 people and, unlike some "
            "copies of a1a.t, all 123 columns. Repeated rows leave the order open, so the "
            "digest is that of the multiset of rows."
        ),
    ),
    _entry(
        "Cod-RNA",
        source="LIBSVM cod-rna (train)",
        files=(_libsvm("binary/cod-rna"),),
        recipe=partial(recipes.libsvm_parts, n_features=8),
        digest="051f53b171186074d8ba3f5226bd65ce3b6480257a77c1c23ed9bbc459d2dbf0",
        note="Decimals are rounded to float32, which merges no two values.",
    ),
    _entry(
        "Connect-4",
        source="UCI Connect-4, cells one-hot",
        files=(_uci("connect-4/connect-4.data.Z"),),
        recipe=recipes.connect_four,
        digest="4d5735bee24044cdf55516cc0c954ab41758a664f686e9aa3c269325efc60597",
        note=(
            "LIBSVM publishes the same 126 binary columns; their order and the label names (-1, "
            "0, 1) may differ there, so the UCI file is read, whose cells leave no doubt."
        ),
    ),
    _entry(
        "Fashion-MNIST",
        source="Zalando Fashion-MNIST, train then test",
        files=_idx(
            "https://github.com/zalandoresearch/fashion-mnist/raw/master/data/fashion/",
            "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
        ),
        recipe=partial(recipes.idx_parts, n_features=784),
        digest="f992352c8df62e43e891fbcfe75a8a44b510c41acab3c368dbabe2bd635ac57b",
    ),
    _entry(
        "Letter",
        source="UCI Letter Recognition",
        files=(_uci("letter-recognition/letter-recognition.data"),),
        recipe=recipes.letter,
        digest="3a26f5cf1babcc3d72b39932a4131f4341d7dd7e935875a05af8acc7741f2735",
    ),
    _entry(
        "MNIST",
        source="MNIST, train then test, first 780 pixels as in LIBSVM",
        files=_idx(
            "https://ossci-datasets.s3.amazonaws.com/mnist/",
            "https://storage.googleapis.com/cvdf-datasets/mnist/",
        ),
        recipe=partial(recipes.idx_parts, n_features=780),
        digest="ce7053bc1e44d394962fc7a9501b18dd472f4be596726122f70819cecd90a53e",
        note=(
            "The last four pixels are blank in every image, which is why LIBSVM has 780 columns."
        ),
    ),
    _entry(
        "Mushroom",
        source="UCI Mushroom",
        files=(_uci("mushroom/agaricus-lepiota.data"),),
        recipe=recipes.mushroom,
        digest="3189f25d0341280e2220aed28526cc3c9356357cdac11093faf30df03e98cb25",
        note="22 letters coded by first appearance, as the paper has 22 columns.",
    ),
    _entry(
        "Pendigits",
        source="LIBSVM pendigits, train then test",
        files=(_libsvm("multiclass/pendigits"), _libsvm("multiclass/pendigits.t")),
        recipe=partial(recipes.libsvm_parts, n_features=16),
        digest="81bc05f46d8a1a7bdc498fa67dfda7d1d3171e8276bdbb2b2d98aa391c000ba2",
    ),
    _entry(
        "Phishing",
        source="LIBSVM phishing",
        files=(_libsvm("binary/phishing"),),
        recipe=recipes.phishing,
        digest="6f7e4f8ed4b130cbb4f0254285434192929956274e78f1def968f462c23451cb",
        note=(
            "The file stores one constant for every entry that is not zero (rows of unit "
            "length); stored here as 0 and 1."
        ),
    ),
    _entry(
        "Protein",
        source="LIBSVM protein, train then test",
        files=(_libsvm("multiclass/protein.bz2"), _libsvm("multiclass/protein.t.bz2")),
        recipe=recipes.protein,
        digest=None,
        note=(
            "The full data have not been seen by the makers of this catalog, so no digest and "
            "no exact class counts are known: N, d, c and the class frequencies of the paper "
            "are checked. Partial copies of the training part go about; they are not this data "
            "set."
        ),
    ),
    _entry(
        "SVMGuide1",
        source="LIBSVM svmguide1 (train)",
        files=(_libsvm("binary/svmguide1"),),
        recipe=partial(recipes.libsvm_parts, n_features=4),
        digest="011478f2d617af9e9853ba92958881009ab5eff89002a2b317b6895cde703235",
        note=(
            "Train part only: its size is that of the paper's table. Decimals are rounded to "
            "float32, which merges no two values."
        ),
    ),
    _entry(
        "SatImage",
        source="UCI Statlog Landsat, train then test",
        files=(_uci("statlog/satimage/sat.trn"), _uci("statlog/satimage/sat.tst")),
        recipe=recipes.numeric_table,
        digest="fe72ffe95aeb944f249551d7ae5813748f2248fca6b78cc405ac53a4adc1f544",
        note=(
            "LIBSVM satimage.scale is a scaling, column by column, of the same values: trees "
            "see no difference."
        ),
    ),
    _entry(
        "Sensorless",
        source="UCI Dataset for Sensorless Drive Diagnosis",
        files=(_uci("00325/Sensorless_drive_diagnosis.txt"),),
        recipe=recipes.numeric_table,
        digest="74676dcc612c49edd0eb14673fc904a696b274584551e7a8df596af104970210",
        note=(
            "Sorted by class: shuffle before splitting. Decimals are rounded to float32, which "
            "merges no two values."
        ),
    ),
    _entry(
        "Shuttle",
        source="UCI Statlog Shuttle, train then test",
        files=(_uci("statlog/shuttle/shuttle.trn.Z"), _uci("statlog/shuttle/shuttle.tst")),
        recipe=recipes.numeric_table,
        digest="7de907be7e0412becc84d8553686e9b43ed8624ddd86f585609e15c5d6e5765d",
        note="LIBSVM shuttle.scale is a scaling, column by column, of the same values.",
    ),
    _entry(
        "Splice",
        source="LIBSVM splice, train then test",
        files=(_libsvm("binary/splice"), _libsvm("binary/splice.t")),
        recipe=partial(recipes.libsvm_parts, n_features=60),
        digest="86213abd0c220b3a0afe0d7e942a92ad790a7969f06ccf629c567ffdd7550d24",
    ),
    _entry(
        "USPS",
        source="LIBSVM usps, train then test",
        files=(
            _libsvm("multiclass/usps.bz2", known_hash="md5:ec16c51db3855ca6c91edd34d0e9b197"),
            _libsvm("multiclass/usps.t.bz2", known_hash="md5:8ea070ee2aca1ac39742fdd1ef5ed118"),
        ),
        recipe=recipes.usps,
        digest=None,
        class_counts=(1553, 1269, 929, 824, 852, 716, 834, 792, 708, 821),
        reconstruction_digest="f07239a1e0d5afd51f2ef221285c4e32e0e4c86cc64755e69b617b20aa18f5bc",
        note=(
            "The published files are checked by their MD5, as torchvision lists it, since their "
            "content has not been seen here. The stand-in is the 9298 original images, smoothed "
            "by a Gaussian of width 0.75 (nearest-value border) where the LIBSVM files have a "
            "smoothing of their own; it is marked reconstructed."
        ),
    ),
    _entry(
        "w1a",
        source="LIBSVM w1a, then the rows of w8a that are not in it",
        files=(_libsvm("binary/w1a"), _libsvm("binary/w8a")),
        recipe=partial(recipes.libsvm_with_rest, n_features=300),
        digest="15f90d13d61d80dbd08ac47029473ec911e2335e24250b7b452c974f5d402e8f",
        ordered=False,
        note=(
            "The paper joins w1a and w1a.t; w8a holds all rows of w1a, and what remains has the "
            "size of w1a.t. Repeated rows leave the order open, so the digest is that of the "
            "multiset of rows."
        ),
    ),
)

#: The entries by the paper's name, in the order of its table.
CATALOG: Mapping[str, CatalogEntry] = MappingProxyType({entry.name: entry for entry in _ENTRIES})


def find_entry(name: str) -> CatalogEntry:
    """Look a data set up, whatever the case of the letters.

    Examples
    --------
    >>> entry = find_entry("mnist")
    >>> entry.name, entry.n_samples, entry.n_features, entry.n_classes
    ('MNIST', 70000, 780, 10)
    """
    by_folded_name = {entry.name.casefold(): entry for entry in CATALOG.values()}
    wanted = name.strip().casefold()
    if wanted in by_folded_name:
        return by_folded_name[wanted]
    near = get_close_matches(wanted, by_folded_name, n=3)
    names = [by_folded_name[key].name for key in near]
    suggestion = f"Did you mean {' or '.join(names)}? " if names else ""
    raise DatasetError(
        f"No data set is called {name!r}. {suggestion}Known names: {', '.join(CATALOG)}. "
        "For a file of your own use --file."
    )
