#!/usr/bin/env python3
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Runs the Python blocks of tutorials, in a temporary folder.

usage: docs/tutorials/run.py [--pictures FOLDER] FILE.md...

--pictures: puts the pictures, which comments `<!-- picture FILE: what it shows -->` announce, into this folder.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PICTURE = re.compile(r"<!-- picture ([\w.-]+): (.+?) -->")


def blocks(tutorial):
    """The Python of a tutorial, with the line numbers of the file."""
    lines, inside = [], False
    for line in tutorial.read_text(encoding="utf-8").splitlines():
        fence = line.startswith("```")
        lines.append(line if inside and not fence else "")
        if fence:
            inside = line == "```python"
    return "\n".join(lines) + "\n"


def run(tutorial, pictures=None):
    program = blocks(tutorial)
    named = [name for name, _ in PICTURE.findall(tutorial.read_text(encoding="utf-8"))]
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
            if pictures:
                shutil.copy(made, pictures / picture)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("tutorials", metavar="FILE.md", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    for each in arguments.tutorials:
        run(each, arguments.pictures)
