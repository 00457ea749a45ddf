# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""The Python of the documents runs. Files that it names are quenched fields on 4^3 x 8. Tutorials are run by themselves."""
import os
import re
import subprocess
import sys

import documents
import pytest

import kaon


@pytest.fixture(scope="module")
def field(tmp_path_factory):
    """A quenched field on 4^3 x 8 at beta = 6, as ILDG and as NERSC."""
    folder = tmp_path_factory.mktemp("fields")
    links = kaon.GaugeField(kaon.Lattice((4, 4, 4, 8)), start="cold")
    for _ in range(20):
        links.heatbath(beta=6.0, overrelaxations=4, seed=3)
    made = {}
    for format in ("ildg", "nersc"):
        made[format] = folder / format
        links.write(made[format], format=format)
    return made


def programs():
    """The documents that have Python to run, with it: with its line numbers."""
    for path in documents.documents():
        found = [b for b in documents.blocks(path, "python") if not (b.marker and b.marker[0] == "not run")]
        if path.parent == documents.TUTORIALS or not found:
            continue
        lines = [""] * len(documents.text_of(path).splitlines())
        for block in found:
            code = block.code.splitlines()
            lines[block.line:block.line + len(code)] = code
        yield pytest.param(path, "\n".join(lines), id=str(path.relative_to(documents.SOURCE)))


@pytest.mark.parametrize("path, program", programs())
def test_runs(path, program, field, tmp_path):
    for name in re.findall(r"\.read\(\"([^\"]+)\"", program):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).symlink_to(field["nersc" if name.endswith(".nersc") else "ildg"])
    (tmp_path / path.name).write_text(program, encoding="utf-8")
    done = subprocess.run([sys.executable, path.name], cwd=tmp_path, capture_output=True, text=True, check=False,
                          env={**os.environ, "MPLBACKEND": "Agg"})
    if re.search("No module named 'matplotlib'|has no matplotlib", done.stderr):
        pytest.skip("matplotlib is absent")
    assert done.returncode == 0, done.stderr
    for picture in re.findall(r"savefig\(\"([^\"]+)\"", program):
        assert (tmp_path / picture).stat().st_size > 0


def test_python_is_found():
    assert len(list(programs())) >= 2
    assert all(documents.blocks(path, "python") for path in documents.TUTORIALS.glob("*.md"))
