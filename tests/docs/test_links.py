# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Links within the documents lead to files and headings that exist."""
import re

import documents
import pytest

LINK = re.compile(r"(?<!`)\[[^]`]*(?:`[^`]*`[^]`]*)*\]\(([^)\s]+)\)")


def links(path):
    plain = "\n".join(line for _, line in documents.prose(path))
    return [(plain.count("\n", 0, link.start()) + 1, link.group(1)) for link in LINK.finditer(plain)]


def faults(path):
    """Faults of the links of a document."""
    found = []
    for line, target in links(path):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if documents.SOURCE not in (file, *file.parents) or not file.exists():
            found.append(f"{path.name}:{line}: {target}: there is no such file")
        elif anchor and (file.suffix != ".md" or anchor not in documents.anchors(file)):
            found.append(f"{path.name}:{line}: {target}: there is no such heading")
    return found


@pytest.mark.parametrize("path", documents.documents(), ids=lambda path: str(path.relative_to(documents.SOURCE)))
def test_links_of(path):
    assert not faults(path)


def test_links_are_found():
    """The documents are full of links: a reader of links that sees none is broken."""
    assert sum(len(links(path)) for path in documents.documents()) > 100


def test_a_dead_link_is_a_fault(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "SOURCE", tmp_path)
    (tmp_path / "b.md").write_text("# One\n\n## The `kaon` program, twice\n\n## One\n", encoding="utf-8")
    page = tmp_path / "a.md"
    page.write_text("[x](b.md#one) [y](b.md#the-kaon-program-twice) [z](b.md#one-1) [`w`](b.md)\n", encoding="utf-8")
    assert len(links(page)) == 4
    assert faults(page) == []
    page.write_text("[x](c.md)\n[y](b.md#two)\n[over\ntwo lines](../b.md) [z](#none)\n", encoding="utf-8")
    assert [fault.split(": ", 1)[1] for fault in faults(page)] == [
        "c.md: there is no such file", "b.md#two: there is no such heading", "../b.md: there is no such file",
        "#none: there is no such heading"]
