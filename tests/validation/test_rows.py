# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""The rows of tools/validate that take seconds, with their seeds and their whole statistics."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ROWS = json.loads((SOURCE / "tools" / "validation" / "rows.json").read_text(encoding="utf-8"))["rows"]
SMALL = [name for name, row in ROWS.items() if row.get("test")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Rows share their runs."""
    return tmp_path_factory.mktemp("validation")


@pytest.mark.parametrize("name", SMALL)
def test_a_row_agrees(name, folder):
    if "KAON_PROGRAM" not in os.environ:
        pytest.skip("the program kaon is not built")
    build = pathlib.Path(os.environ["KAON_PROGRAM"]).parents[1]
    done = subprocess.run([sys.executable, SOURCE / "tools" / "validate", "--build", build, "--folder", folder, "--results", folder / "results", name],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads((folder / "results" / f"validation_{ROWS[name]['kind']}.json").read_text(encoding="utf-8"))["rows"]
    row, = (row for row in rows if row["row"] == name)
    assert row["kaon"] != "not run" and abs(float(row["z"])) <= 3.0 and "too large" not in row["verdict"], row
