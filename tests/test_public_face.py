"""What `from tandemvote import ...` gives, and that the rooms are entered only when asked for."""

import inspect
import pkgutil
import re
import subprocess
import sys
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import tandemvote

API_PAGE = Path(__file__).parents[1] / "docs" / "api" / "index.rst"


@pytest.mark.parametrize("name", tandemvote.__all__)
def test_every_public_name_is_there_and_documented(name):
    assert name in dir(tandemvote)
    assert getattr(tandemvote, name).__doc__


@pytest.mark.parametrize("name", tandemvote.__all__)
def test_every_parameter_is_in_the_docstring_of_its_function_or_class(name):
    public = getattr(tandemvote, name)
    if is_dataclass(public):  # documented by its attributes
        return
    page = inspect.getdoc(public).partition("\nExamples\n")[0]
    listed = re.findall(r"^(\S.*?)(?: : .*)?$", page.partition("\nParameters\n")[2], re.MULTILINE)
    documented = {word.strip() for line in listed for word in line.split(",")}
    missing = set(inspect.signature(public).parameters) - documented
    assert not missing


@pytest.mark.skipif(not API_PAGE.exists(), reason="the documentation is not installed")
def test_every_public_name_is_on_the_api_page():
    listed = {line.strip() for line in API_PAGE.read_text("utf-8").splitlines()}
    assert listed.issuperset(tandemvote.__all__)


def test_unknown_names_are_rejected_like_in_any_module():
    with pytest.raises(AttributeError, match="no attribute 'certificates'"):
        tandemvote.certificates  # noqa: B018


def test_importing_the_package_alone_loads_nothing_heavy():
    code = "import sys, tandemvote; sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_verifying_loads_none_of_the_formulas_that_certificates_are_made_with():
    code = (
        "import sys, tandemvote.verify\n"
        "rooms = {name.split('.')[1] for name in sys.modules if name.startswith('tandemvote.')}\n"
        "assert not rooms & {'bounds', 'inequalities', 'weights', 'counting'}, rooms\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_certify_is_the_function_whatever_was_imported_before():
    code = (
        "import tandemvote.models, tandemvote.cli.certify\n"
        "from tandemvote import certify\n"
        "assert callable(certify)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_object_hides_the_module_of_its_name():
    paths = pkgutil.walk_packages(tandemvote.__path__, "tandemvote.")
    names = [module.name for module in paths if not module.name.endswith("__main__")]
    for name in names:
        import_module(name)
    for name in names:
        package, _, module = name.rpartition(".")
        assert isinstance(getattr(sys.modules[package], module), ModuleType), name
