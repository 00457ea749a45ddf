# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Every block of code of the documents is run, compiled, quoted from a file that is, or says that it cannot be."""
import re

import documents
import pytest

HERE = documents.SOURCE / "tests" / "docs"
# Python runs in test_python.py and as tutorials, CMake in tests/install, TOML in tests/apps/measure_test.cpp; those without a language are formulas, or commands
# (test_commands.py).
LANGUAGES = {"", "python", "cpp", "c", "cmake", "toml"}
ALL = [block for path in documents.documents() for block in documents.blocks(path)]


def plain_code(text):
    """The lines of a program without their indentation, comments, includes and blank lines."""
    lines = (re.sub(r"\s*//.*", "", line).strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#include")]


def is_quoted(code, file):
    """Whether the lines of code follow each other in a file."""
    quoted, lines = plain_code(code), plain_code(file)
    return any(lines[n:n + len(quoted)] == quoted for n in range(len(lines) - len(quoted) + 1))


@pytest.mark.parametrize("block", ALL, ids=str)
def test_block(block):
    assert block.language in LANGUAGES, f"{block}: nothing tests blocks of '{block.language}'"
    if block.marker and block.marker[0] == "quotes":
        file = documents.SOURCE / block.marker[1]
        assert is_quoted(block.code, file.read_text(encoding="utf-8")), f"{block} is not in {block.marker[1]}"
    elif block.language in ("c", "cpp") and not block.marker:
        tests = (HERE / ("blocks.c" if block.language == "c" else "blocks_test.cpp")).read_text(encoding="utf-8")
        assert f'#include "{block.name()}.inc"' in tests, f"{block}: neither tests/docs/blocks_test.cpp nor blocks.c has it"


def test_blocks_are_found():
    assert {block.language for block in ALL} == LANGUAGES
    assert sum(block.language == "cpp" for block in ALL) >= 8


def test_quotations_are_compared():
    file = "#include <x>\nint f() {\n  // why\n  g(1);  // what\n\n  return 2;\n}\n"
    assert is_quoted("int f() {\ng(1);\n  return 2;\n", file)
    assert not is_quoted("int f() {\n  g(2);\n", file)
    assert not is_quoted("int f() {\n  return 2;\n", file)
