# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Measurements are data: tables of documents agree with docs/measurements, and a cell of a table has one figure."""
import importlib.machinery
import importlib.util
import json
import re

import documents
import pytest

MEASUREMENTS = sorted((documents.SOURCE / "docs" / "measurements").rglob("*.json"))
NUMBER = r"[<>~]?[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:\(\d+\))?"


def benchmark_table():
    loader = importlib.machinery.SourceFileLoader("benchmark_table", str(documents.SOURCE / "tools" / "benchmark-table"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def crammed(cell):
    """Whether a cell of a table has two figures or more. A range is one; code, formulas, lattices and sentences are none."""
    cell = re.sub(r"`[^`]*`|\]\([^)]*\)|\[[\d i-][^]]*\]|\w+\([^)]*\)|\d+/\([^)]*\)|\d+\^\d|\d+( x \d+)+", "", cell)
    if len(re.findall(r"[A-Za-z]{3,}", cell)) > 2:
        return False
    cell = re.sub(rf"({NUMBER}) to {NUMBER}", r"\1", cell)
    return len(re.findall(rf"(?<![\w.^/+])(?:{NUMBER})(?![\w./])", cell)) > 1


def cells(path):
    """The cells of the tables of a document, without heads and the first column, with the number of the line."""
    above = ""
    for number, line in documents.prose(path):
        if line.startswith("|") and above.startswith("|") and not re.fullmatch(r"[|\- :]+", line):
            yield from ((number, cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[2:-1])
        above = line


@pytest.mark.parametrize("cell, many", [
    ("1.33", False), ("0.9 to 1.2", False), ("0.59076(21)", False), ("16^3 x 32", False), ("`8,2`", False), ("1/(24 u0^2)", False),
    ("fields of 9 or 12 complex numbers, and 24 of coarse lattices", False),
    ("1.33; 1.24", True), ("79.3; 85.5 us", True), ("1.04 (3)", True), ("0.4, 0.5", True), ("2764: 1.33", True)])
def test_crammed_cells_are_seen(cell, many):
    assert crammed(cell) == many


def test_no_cell_is_crammed():
    found = [f"{path.relative_to(documents.SOURCE)}:{number}: {cell}" for path in documents.documents()
             for number, cell in cells(path) if crammed(cell)]
    assert not found, f"{len(found)} crammed cells:\n" + "\n".join(found)


def test_tables_are_those_of_the_measurements():
    tool = benchmark_table()
    texts = {path: documents.text_of(path) for path in tool.documents()}
    assert sum(len(tool.MARKER.findall(text)) for text in texts.values()) > 10
    stale = [path.name for path, text in texts.items() if tool.filled(text) != text]
    assert not stale, "run tools/benchmark-table --documents"


def test_tables_select_and_turn_rows():
    tool = benchmark_table()
    rows = [{"job": "a", "machine": "x", "seconds": "1.50"}, {"job": "a", "machine": "y", "seconds": "2"},
            {"job": "b", "machine": "y", "seconds": "3"}]
    assert list(tool.table(rows, "job as work | seconds; machine = y")) == [
        "| work | seconds |", "|---|---|", "| a | 2 |", "| b | 3 |"]
    assert list(tool.table(rows, "job | x | y; cells = seconds by machine")) == [
        "| job | x | y |", "|---|---|---|", "| a | 1.50 | 2 |", "| b | | 3 |"]
    with pytest.raises(ValueError, match="machines"):
        list(tool.table(rows, "job | machines"))


@pytest.mark.parametrize("file", MEASUREMENTS, ids=lambda file: file.stem)
def test_measurements_state_their_origin(file):
    text = documents.text_of(file)
    content = json.loads(text)
    assert {"title", "machine", "command", "unit", "rows"} <= set(content)
    assert content["rows"]
    assert not re.search(r'"/|/home|/root|localhost', text)
    assert any(f"measurements/{file.parent.name}/{file.name}" in page or f"<!-- table {file.stem}:" in page
               for page in map(documents.text_of, documents.documents())), "no document names the file"


def test_pages_are_short():
    """Pages of figures and notes of decisions are summaries; the rest is data."""
    for name in ("performance.md", "scaling.md"):
        assert len(documents.text_of(documents.SOURCE / "docs" / name).splitlines()) <= 150, name
    notes = re.split(r"^## ", documents.text_of(documents.SOURCE / "docs" / "decisions.md"), flags=re.MULTILINE)[1:]
    assert [int(note.split(".")[0]) for note in notes] == list(range(1, len(notes) + 1))
    for note in notes:
        heading, *lines = note.strip().splitlines()
        assert len([line for line in lines if line]) <= 20, heading
        assert "**Decision.**" in note and "**Why.**" in note, heading
