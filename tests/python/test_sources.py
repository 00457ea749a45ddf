# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Sources of Python and of the program agree, and have equal correlators."""
import json
import os
import re
import subprocess

import numpy as np
import pytest

import kaon

SITE = (1, 0, 2, 3)
#: The program's word for a source, and the source of Python at SITE on these links.
SOURCES = {
    "point": lambda links: kaon.PointSource(SITE),
    "gaussian": lambda links: kaon.GaussianSource(links, SITE, width=1.5, steps=5),
    "wall-z2": lambda links: kaon.WallSource(t=SITE[3], seed=7),
    "wall": lambda links: kaon.UniformWallSource(t=SITE[3]),
    "corner-wall": lambda links: kaon.UniformWallSource(t=SITE[3], sites="corners"),
    "even-wall": lambda links: kaon.UniformWallSource(t=SITE[3], sites="even"),
}
#: Options of the program for these numbers.
OPTIONS = {"gaussian": ["--smearing-width", "1.5", "--smearing-steps", "5"], "wall-z2": ["--seed", "7"]}


def propagator(*arguments):
    path = os.environ.get("KAON_PROGRAM")
    if not path or not os.path.exists(path):
        pytest.skip("KAON_PROGRAM was not built")
    done = subprocess.run([path, "propagator", *map(str, arguments)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_program_has_the_sources_of_python():
    words = re.search(r"--source ([\w|-]+)=point", propagator("--help")).group(1)
    assert words.split("|") == list(SOURCES)


@pytest.mark.parametrize("word", SOURCES)
def test_correlators_are_those_of_the_program(word, tmp_path):
    """Divided by the number of sites of the noise wall, as the program's are."""
    lattice = kaon.Lattice((4, 4, 4, 8))
    links = kaon.GaugeField(lattice, start="weak", seed=3, width=0.3)
    links.write(tmp_path / "cfg.lime")
    staggered = word in ("corner-wall", "even-wall")
    action = ["--action", "staggered"] if staggered else []
    propagator("--gauge", tmp_path / "cfg.lime", "--mass", "0.5", *action, "--source", word, "--source-site",
               ",".join(map(str, SITE)), *OPTIONS.get(word, []), "--correlator", tmp_path / "pion.json")
    expected = json.loads((tmp_path / "pion.json").read_text())["pion_correlator"]
    dirac = (kaon.Staggered if staggered else kaon.Wilson)(links, mass=0.5)
    found = kaon.Solver(dirac).propagator(SOURCES[word](links)).pion()
    assert np.allclose(found / (4**3 if word == "wall-z2" else 1), expected, rtol=1e-8)
