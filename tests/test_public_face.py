"""The public names, and that no module or object hides another."""

import ast
import pkgutil
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import tandemvote

pytestmark = pytest.mark.long

API_PAGE = Path(__file__).parents[1] / "docs" / "api" / "index.rst"


@pytest.mark.parametrize("name", tandemvote.__all__)
def test_every_public_name_is_there_and_documented(name):
    assert name in dir(tandemvote)
    assert getattr(tandemvote, name).__doc__


@pytest.mark.skipif(not API_PAGE.exists(), reason="the documentation is not installed")
def test_every_public_name_is_on_the_api_page():
    listed = {line.strip() for line in API_PAGE.read_text("utf-8").splitlines()}
    assert listed.issuperset(tandemvote.__all__)


def test_unknown_names_are_rejected_like_in_any_module():
    with pytest.raises(AttributeError, match="no attribute 'certificates'"):
        tandemvote.certificates  # noqa: B018


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(tandemvote.__file__).read_text("utf-8"))
    guard = next(node for node in tree.body if isinstance(node, ast.If))
    assert sorted(alias.name for node in guard.body for alias in node.names) == tandemvote.__all__


def test_no_module_hides_a_public_name():
    modules = {module.name for module in pkgutil.iter_modules(tandemvote.__path__)}
    assert {"models", "verify"} <= modules
    assert not modules & set(tandemvote.__all__)


def test_no_object_hides_the_module_of_its_name():
    paths = pkgutil.walk_packages(tandemvote.__path__, "tandemvote.")
    names = [module.name for module in paths if not module.name.endswith("__main__")]
    for name in names:
        import_module(name)
    for name in names:
        package, _, module = name.rpartition(".")
        assert isinstance(getattr(sys.modules[package], module), ModuleType), name
