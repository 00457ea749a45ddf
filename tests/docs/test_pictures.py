# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""The pictures in docs/pictures: small, from files beside them, with figures of docs/measurements."""
import json
import re

import documents

PICTURES = documents.SOURCE / "docs" / "pictures"


def figures(row):
    """The numbers of a row of a comparison, as the file spells them."""
    return row.get("seconds") or row.get("gflops") or [row["ratio"]]


def test_figures_are_those_of_the_measurements():
    content = json.loads(documents.text_of(PICTURES / "beside_peers.json"), parse_float=str, parse_int=str)
    rows = [row for table in content["comparisons"] for row in table["rows"]]
    assert len(rows) > 10
    for row in rows:
        file = documents.SOURCE / "docs" / "measurements" / "speed" / f"{row.get('data', 'peers')}.json"
        numbers = set(re.findall(r"(?<![\d.])\d+(?:\.\d+)?(?![\d.]*\d)", documents.text_of(file)))
        for figure in figures(row):
            assert figure in numbers, f"{row['what']}: {figure} is not in {file.name}"


def test_pages_name_the_command_of_each_picture():
    pages = {documents.SOURCE / name: documents.text_of(documents.SOURCE / name) for name in ("README.md", "docs/scaling.md", "docs/spectrum.md")}
    pictures = sorted(PICTURES.glob("*.svg"))
    assert pictures
    for picture in pictures:
        name = picture.relative_to(documents.SOURCE)
        shown = [text for page, text in pages.items() if f"]({picture.relative_to(page.parent)})" in text]
        assert len(shown) == 1, name
        command = re.search(rf"python3 -m kaon plot (\S+) --output {re.escape(str(name))}$", shown[0], re.MULTILINE) or \
            re.search(r"python3 (\S+/analyse.py) .*--pictures docs/pictures\b", shown[0])
        assert command, name
        assert (documents.SOURCE / command.group(1)).exists()
        assert picture.stat().st_size < 80000 and "<dc:date>" not in documents.text_of(picture), name


def test_files_name_no_machine():
    for file in PICTURES.glob("*.json"):
        assert not re.search(r'"/|/home|/root|localhost', documents.text_of(file)), file.name
