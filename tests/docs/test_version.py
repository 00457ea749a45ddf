# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""All files that state kaon's version, or the date of its release, state the same."""
import re

import documents


def stated(file, pattern):
    """The text of the first match of the pattern's group in a file of the checkout."""
    found = re.search(pattern, documents.text_of(documents.SOURCE / file), re.MULTILINE)
    assert found, f"{file} states none"
    return found.group(1)


VERSION = stated("CMakeLists.txt", r"^project\(kaon VERSION ([\d.]+)")


def test_versions_agree():
    versions = {
        "CITATION.cff": stated("CITATION.cff", r"^version: ([\d.]+)$"),
        "CHANGELOG.md": stated("CHANGELOG.md", r"^## (\d\S+) - \d{4}-\d\d-\d\d$"),
        "pyproject.toml": stated("pyproject.toml", r'^version = "([\d.]+)"$'),
    }
    assert versions == dict.fromkeys(versions, VERSION)


def test_dates_agree():
    released = stated("CHANGELOG.md", r"^## \d\S+ - (\d{4}-\d\d-\d\d)$")
    assert stated("CITATION.cff", r"^date-released: (\S+)$") == released


def test_documents_ask_for_this_version():
    asked = [(path.name, version) for path in documents.documents()
             for version in re.findall(r"find_package\(kaon ([\d.]+)", documents.text_of(path))]
    assert asked
    assert all(VERSION.startswith(version + ".") for _, version in asked), asked
