# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Writes the blocks of C and C++ of the documents into a folder, for blocks_test.cpp and blocks.c to include.

usage: extract.py FOLDER"""
import pathlib
import sys

import documents


def main(folder):
    for path in documents.documents():
        for block in documents.blocks(path, "c", "cpp"):
            file = folder / (block.name() + ".inc")
            text = f'#line {block.line + 1} "{path}"\n{block.code}'
            if not file.exists() or file.read_text(encoding="utf-8") != text:  # what has not changed is not compiled again
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
