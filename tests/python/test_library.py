# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""What happens in a program of its own: import, loading, start, stop, the command line."""
import json
import os
import subprocess
import sys

import pytest

import kaon


def run(program, **environment):
    """The output of a Python program; its errors where it fails."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600,
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_loads_and_starts_nothing():
    output = run("""
import sys
import kaon
assert "matplotlib" not in sys.modules
assert "libkaon" not in open("/proc/self/maps").read()
kaon.version()
assert "libkaon" in open("/proc/self/maps").read()
print(kaon.library._started if hasattr(kaon.library, "_started") else "module")
""")
    assert output.split() == ["False"]


def test_library_is_named_by_the_environment():
    output = run("""
import kaon
try:
    kaon.Lattice((4, 4, 4, 4))
except kaon.LibraryError as error:
    assert isinstance(error, ImportError)
    print(error)
""", KAON_LIBRARY="/nowhere/libkaon.so")
    assert "/nowhere/libkaon.so" in output and "KAON_LIBRARY" in output


def test_another_library_is_refused():
    import ctypes.util

    other = ctypes.util.find_library("m")
    output = run("""
import kaon
try:
    kaon.version()
except kaon.LibraryError as error:
    print(error)
""", KAON_LIBRARY=other)
    assert "is not the library of this Python package" in output


def test_library_of_another_version_is_refused():
    output = run("""
import kaon
from kaon import declarations
declarations.VERSION = "0.0.9"
try:
    kaon.version()
except kaon.LibraryError as error:
    print(error)
""")
    assert f"is of kaon {kaon.version()}, this Python package of 0.0.9" in output


def test_stop_frees_everything_and_is_final():
    output = run("""
import kaon
links = kaon.GaugeField(kaon.Lattice((4, 4, 4, 4)), start="cold")
kaon.stop()
kaon.stop()
for call in (links.plaquette, lambda: kaon.Lattice((4, 4, 4, 4))):
    try:
        call()
    except kaon.Error as error:
        print(type(error).__name__, error)
""")
    lines = output.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("Unsupported") and "cannot be started again" in line


def test_programs_end_quietly_with_objects_alive():
    assert run("""
import kaon
links = kaon.GaugeField(kaon.Lattice((4, 4, 4, 4)), start="cold")
solve = kaon.Solver(kaon.Wilson(links, mass=0.1))
ring = [links, solve]
ring.append(ring)
kaon.set_log(lambda kind, text: None)
""") == ""


def test_log_receives_notices():
    """A solver that has to leave half precision says so."""
    output = run("""
import kaon, numpy
kaon.set_log(lambda kind, text: print(kind, text))
lattice = kaon.Lattice((4, 4, 4, 4))
links = kaon.GaugeField(lattice, start="cold")
spread = numpy.ones((4, 4, 4, 4, 4, 3), complex)
spread[0, 0, 0, 0] *= 1e12
kaon.Solver(kaon.Wilson(links, mass=1e-4, boundary=(0, 0, 0, 0)), tolerance=1e-12).solve(spread)
""", KAON_TUNE_CACHE="/nowhere/tune.json", KAON_TUNE="on")
    assert "warning" in output or "notice" in output


def test_info():
    info = kaon.run_info()
    assert info["version"] == kaon.version() and info["processes"] == 1 and info["host_threads"] >= 1
    done = subprocess.run([sys.executable, "-m", "kaon", "info", "--json"], capture_output=True, text=True, timeout=600)
    assert json.loads(done.stdout)["library"] == kaon.library_path()
    done = subprocess.run([sys.executable, "-m", "kaon", "info"], capture_output=True, text=True, timeout=600)
    assert "execution space" in done.stdout


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="nonsense"):
        kaon.nonsense
