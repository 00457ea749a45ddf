# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Writes the blocks of C and C++ of the documents into FOLDER, for blocks_test.cpp and blocks.c to include, and FOLDER/list,
which changes when any of them does.

usage: extract.py FOLDER"""
import pathlib
import sys

import documents


def write(file, text):
    """Writes a file unless it is so already: what has not changed is not compiled again."""
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def main(folder):
    made = {}
    for path in documents.documents():
        for block in documents.blocks(path, "c", "cpp"):
            made[block.name()] = f'#line {block.line + 1} "{path}"\n{block.code}'
    for name, text in made.items():
        write(folder / f"{name}.inc", text)
    write(folder / "list", "".join(f"{name}.inc\n{text}" for name, text in made.items()))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
