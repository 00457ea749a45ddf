# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Sphinx' configuration. docs/site/build.py sets KAON_DOCS_SOURCE, the checkout, and KAON_DOCS_WORK, where it collects the
pages and Doxygen writes. The Python package of the build must be on the path."""
import importlib.util
import os
import pathlib
import re
import sys

source = pathlib.Path(os.environ["KAON_DOCS_SOURCE"])
work = pathlib.Path(os.environ["KAON_DOCS_WORK"])
sys.path.insert(0, str(source / "docs" / "site"))

import docstrings  # noqa: E402
from sphinx.errors import ExtensionError  # noqa: E402

project = "kaon"
copyright = author = "The kaon authors"
release = version = re.search(r"project\(kaon VERSION ([0-9.]+)", (source / "CMakeLists.txt").read_text()).group(1)

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = f"kaon {release}"
html_copy_source = False
html_show_sphinx = False
highlight_language = "none"
pygments_style = "friendly"
root_doc = "index"
nitpicky = True

myst_heading_anchors = 4  # as forges make them

breathe_projects = {name: str(work / "doxygen" / name / "xml") for name in ("cpp", "c")}
breathe_default_project = "cpp"
breathe_domain_by_extension = {"hpp": "cpp", "h": "c"}
breathe_default_members = ("members", "undoc-members")
breathe_show_include = False
breathe_show_enumvalue_initializer = True

autodoc_default_options = {"members": True, "inherited-members": "tuple, OSError, ImportError, Exception", "special-members": "__call__"}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_mock_imports = [] if importlib.util.find_spec("matplotlib") else ["matplotlib"]

# Names of other libraries, whose references are not available offline, and private names of kaon.
nitpick_ignore_regex = [
    ("py:.*", r"(np|numpy|ctypes|pathlib|matplotlib|Axes|collections|typing|Any)\b.*"),
    ("c:.*", r"size_t|ptrdiff_t|u?int\d+_t"),
    ("cpp:.*", r"(std|Kokkos|MPI_\w+|Execution)(::.*)?"),
    ("cpp:.*", r"(kaon(::\w+)?::)?detail(::.*)?"),
    ("cpp:.*", r"kaon|(kaon::)?(blas|io)"),  # breathe declares no namespaces
]


def plain_docstring(app, what, name, object_, options, lines):
    try:
        lines[:] = docstrings.for_sphinx(lines)
    except docstrings.Fault as fault:
        raise ExtensionError(f"{name}: {fault}") from None


def check_python_reference(app, env):
    """Importing the package has loaded no library, and its reference is complete."""
    import kaon
    import kaon.library

    if kaon.library._library is not None:
        raise ExtensionError("the import of the Python package has loaded libkaon")
    documented = env.get_domain("py").objects
    missing = [name for name in kaon.__all__ if f"kaon.{name}" not in documented]
    if missing:
        raise ExtensionError(f"docs/site/pages/reference/python.md lacks {', '.join(missing)} of kaon.__all__")


def setup(app):
    app.connect("autodoc-process-docstring", plain_docstring)
    app.connect("env-check-consistency", check_python_reference)
