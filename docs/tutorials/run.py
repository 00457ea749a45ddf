#!/usr/bin/env python3
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Runs the Python blocks of tutorials, in a temporary folder.

usage: docs/tutorials/run.py [--keep-pictures] FILE.md...

--keep-pictures: puts the pictures beside the tutorials.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def blocks(tutorial):
    """The Python of a tutorial, each line where it stands in the file."""
    lines, inside = [], False
    for line in tutorial.read_text(encoding="utf-8").splitlines():
        fence = line.startswith("```")
        lines.append(line if inside and not fence else "")
        if fence:
            inside = line == "```python"
    return "\n".join(lines) + "\n"


def run(tutorial, keep_pictures):
    program = blocks(tutorial)
    named = re.findall(r"!\[[^]]*\]\(([^)]+)\)", tutorial.read_text(encoding="utf-8"))
    if not program.strip() or not named:
        sys.exit(f"{tutorial} has no Python, or no picture")
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "examples").symlink_to(HERE.parents[1] / "examples")
        (pathlib.Path(folder) / tutorial.name).write_text(program, encoding="utf-8")
        subprocess.run([sys.executable, tutorial.name], cwd=folder, check=True, env={**os.environ, "MPLBACKEND": "Agg"})
        for picture in named:
            made = pathlib.Path(folder) / picture
            if not made.exists():
                sys.exit(f"{tutorial} shows {picture}, which it does not make")
            if keep_pictures:
                shutil.copy(made, HERE / picture)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    keep = "--keep-pictures" in arguments
    for name in (a for a in arguments if a != "--keep-pictures"):
        run(pathlib.Path(name), keep)
