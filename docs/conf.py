"""How the documentation is built: from this folder, the docstrings and the examples, offline."""

import os
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "_extensions"))

project = "tandemvote"
author = "The tandemvote developers"
copyright = "The tandemvote developers, BSD-3-Clause"
version = release = installed_version("tandemvote")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "sphinx_design",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.typer",
    "myst_parser",
    "native_mathml",
]
exclude_patterns = ["_build", "_extensions", "_templates"]
templates_path = ["_templates"]
smartquotes = False  # they turn the -- of options into a dash, and no command could be pasted
myst_enable_extensions = ["attrs_block"]  # the class of a page
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
# Links to the types of other projects, where their inventories can be reached.
intersphinx_mapping = (
    {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "pandas": ("https://pandas.pydata.org/docs", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
    }
    if os.environ.get("TANDEMVOTE_DOCS_ONLINE")
    else {}
)
default_role = "obj"  # `Certificate` in a docstring links to its page, if there is one

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc says types in words
autodoc_member_order = "bysource"
numpydoc_xref_param_type = bool(intersphinx_mapping)  # types of parameters link to their pages
numpydoc_xref_aliases = {
    "array": "numpy.ndarray",
    "array_like": ":term:`numpy:array_like`",
    "array-like": ":term:`numpy:array_like`",
    "DataFrame": "pandas.DataFrame",
    "Series": "pandas.Series",
    "estimator": ":term:`sklearn:estimator`",
    "classifier": ":term:`sklearn:classifier`",
    "Pipeline": "sklearn.pipeline.Pipeline",
    "path": "os.PathLike",
}
numpydoc_xref_ignore = {
    "of", "or", "and", "default", "optional", "shape", "with", "the", "a", "an", "from", "fitted",
    "list", "type", "certified",
}  # fmt: skip
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "tandemvote"
html_static_path = ["_static"]
html_css_files = ["tandemvote.css"]
html_show_sourcelink = False
html_sidebars = {"index": []}
# A site that is deployed with others has a list of them in its header.
deployed_as = os.environ.get("TANDEMVOTE_DOCS_VERSION")
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "header_links_before_dropdown": 5,
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
}
if deployed_as:
    html_theme_options |= {
        "switcher": {
            "json_url": "https://tandemvote.github.io/tandemvote/switcher.json",
            "version_match": deployed_as,
        },
        "check_switcher": False,  # the list may not be there yet
        "navbar_start": ["navbar-logo", "version-switcher"],
        "show_version_warning_banner": True,
    }

LEVELS = ("tutorials", "quickstart", "understand", "paper")
sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"\.py$",
    "subsection_order": [f"../examples/{level}" for level in LEVELS],
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": ("_repr_html_", "__repr__"),
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,
    "download_all_examples": False,
    "show_signature": False,
    "thumbnail_size": (480, 330),
    "reset_modules": ("matplotlib", "gallery_style.reset"),
    "plot_gallery": "True",
}
