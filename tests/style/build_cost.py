# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Compares what a build costs with the figures in build_cost.json beside this file.

    build_cost.py BUILD_TREE [--write]

It counts the units that each folder compiles, and adds up their CPU seconds, which tools/compile-timer wrote into the
build tree. Seconds are compared as multiples of the time for the precompiled headers of other libraries, which changes
with the machine and not with kaon. A number of units that has changed is an error: --write takes the new figures over,
and the commit says what they buy. Seconds are reported, never judged: no test depends on a clock.
"""

import json
import re
import sys
from pathlib import Path

COMMITTED = Path(__file__).with_suffix(".json")
HEADERS = "core/CMakeFiles/kaon_core.dir/cmake_pch.hxx.gch"
CACHED = 0.5  # CPU seconds: no unit compiles in less, one from a compiler cache comes in less


def folder_of(output: str) -> str:
    """The layer of an object file; of tests, their folder, too."""
    parts = output.split("/")
    return "/".join(parts[:2]) if parts[0] == "tests" and parts[1] != "CMakeFiles" else parts[0]


def units_of(build: Path) -> list[str]:
    """The outputs of all compilations."""
    commands = json.loads((build / "compile_commands.json").read_text())
    outputs = [re.search(r" -o (\S+) ", command["command"]) for command in commands]
    return [output[1] for output in outputs if output and not output[1].endswith(".c.o")]  # of C++, all of which are timed


def seconds_of(build: Path) -> dict[str, float]:
    """The CPU seconds of the last compilation of each output."""
    seconds: dict[str, float] = {}
    log = build / "build_cost"
    for line in log.read_text().splitlines() if log.exists() else []:
        user, system, output = line.split(" ", 2)
        seconds[output] = float(user) + float(system)
    return seconds


def measure(build: Path) -> dict:
    """Units and CPU seconds by folder. Folders with units from a cache, or not timed, have no seconds."""
    seconds = seconds_of(build)
    folders: dict[str, dict] = {}
    for output in units_of(build):
        folder = folders.setdefault(folder_of(output), {"units": 0, "seconds": 0.0})
        folder["units"] += 1
        known = seconds.get(output, 0.0)
        folder["seconds"] = folder["seconds"] + known if known > CACHED and folder["seconds"] is not None else None
    for folder in folders.values():
        if folder["seconds"] is not None:
            folder["seconds"] = round(folder["seconds"], 1)
    return {"headers": seconds.get(HEADERS, 0.0), "folders": dict(sorted(folders.items()))}


def report(now: dict, committed: dict) -> list[str]:
    """Prints the table, and returns what is wrong."""
    is_timed = now["headers"] > CACHED
    speed = now["headers"] / committed["headers"] if is_timed else 1.0
    print(f"{'folder':24}{'units':>6}{'before':>8}{'CPU s':>9}{'before, at the speed of this machine':>38}")
    wrong = []
    for name in sorted(now["folders"] | committed["folders"]):
        here = now["folders"].get(name, {"units": 0, "seconds": 0.0})
        before = committed["folders"].get(name, {"units": 0, "seconds": 0.0})
        timed = is_timed and here["seconds"] is not None and before["seconds"] is not None
        took = f"{here['seconds']:9.1f}" if timed else f"{'cached':>9}"
        expected = f"{speed * before['seconds']:38.1f}" if timed else ""
        grew = ""
        if timed and here["seconds"] > 1.25 * speed * before["seconds"] + 2.0:
            grew = f"  {here['seconds'] / max(speed * before['seconds'], 0.1):.2f} times"
        print(f"{name:24}{here['units']:6}{before['units']:8}{took}{expected}{grew}")
        if here["units"] != before["units"]:
            wrong.append(f"{name} compiles {here['units']} units, and {COMMITTED.name} says {before['units']}")
    return wrong


def main() -> int:
    build = Path(sys.argv[1])
    now = measure(build)
    if "--write" in sys.argv:
        COMMITTED.write_text(json.dumps(now, indent=1) + "\n")
        return 0
    wrong = report(now, json.loads(COMMITTED.read_text()))
    for message in wrong:
        print(message, file=sys.stderr)
    if wrong:
        print("take the new figures over by build_cost.py BUILD_TREE --write, and say in the commit what they cost",
              file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
