# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Requirements of the package on the Python that imports it. This file runs in any Python 3."""
import importlib
import sys

OLDEST = (3, 10)


def _refuse(sentence, package):
    """Raises `ImportError`. The command `python3 -m kaon` ends with the sentence alone."""
    if sys.argv[:1] == ["-m"]:  # Python is still looking for kaon.__main__
        sys.exit("kaon: " + sentence)
    raise ImportError(sentence, name=package) from None


def require_python():
    """Raises `ImportError` in a Python that is too old."""
    if sys.version_info < OLDEST:
        _refuse("{} is Python {}.{}: use Python {}.{} or a newer one".format(sys.executable, *sys.version_info[:2], *OLDEST), "kaon")


def require_package(package):
    """Imports a package. Raises `ImportError` that says how to get it."""
    try:
        importlib.import_module(package)
    except ModuleNotFoundError as missing:
        if missing.name != package:
            raise
        _refuse("{1} has no {0}: install it by `{1} -m pip install {0}`, or use a python3 that has it, such as /usr/bin/python3 of "
                "Debian and Ubuntu after `apt-get install python3-{0}`".format(package, sys.executable), package)
