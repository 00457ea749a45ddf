# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""The rows of tools/validate that take seconds, with their seeds and their whole statistics, and all plans on small lattices."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tools"))

from validation import runs  # noqa: E402

PLAN = json.loads((SOURCE / "tools" / "validation" / "rows.json").read_text(encoding="utf-8"))
ROWS, RUNS = PLAN["rows"], PLAN["runs"]
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


@pytest.mark.parametrize("name", RUNS)
def test_a_plan_works_on_a_small_lattice(name, tmp_path):
    """Every run makes two updates of 4^4 or 4^3 x 8, and its measurements."""
    if "KAON_PROGRAM" not in os.environ:
        pytest.skip("the program kaon is not built")
    small = {**RUNS[name], "updates": 2, "every": 1 if RUNS[name].get("every") else 0, "seeds": [1], "thermalization": 0, "extents": [4, 4, 4, 4]}
    options = re.sub(r"--size \S+", "--size 4,4,4,8", small["options"]) if RUNS[name]["device"] == "gpu" else small["options"]
    small["options"] = re.sub(r"--(thermalization|accept-first) \d+", r"--\1 2", re.sub("--ls 16", "--ls 4", options))
    if "propagator" in small:
        small["propagator"] = re.sub("--ls 16", "--ls 4", small["propagator"])
    if "hadrons" in small:
        small["hadrons"] = {**small["hadrons"], "source": {"kind": "wall-z2", "times": [0, 2]}}
    if "loops" in small:
        small["loops"] = {**small["loops"], "r": 2, "t": min(small["loops"]["t"], 4)}
    run = runs.Run(name, small, runs.Machine(os.environ["KAON_PROGRAM"], tmp_path))
    run.work()
    assert run.complete() and len(run.series("plaquettes")[0]) == 2
