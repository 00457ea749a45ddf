# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""No sentence of a comment begins with "What", "That" or "Those": a noun says more.

A sentence begins a comment, or a line of it, or follows the end of another one."""
import io
import pathlib
import re
import sys
import tokenize

FOLDERS = ("apps", "capi", "cmake", "comm", "core", "docs", "examples", "gauge", "hmc", "include", "io", "multigrid", "operators",
           "perf", "propagators", "python", "quda", "solvers", "tests", "tools")
OF_C = {".hpp", ".cpp", ".h", ".c", ".cuh", ".cu"}
BEGINNING = re.compile(r"(?:^|(?<=[.!?:] ))(?:What|That|Those)\b")
# Strings and characters first, so that a "//" within them begins no comment.
PARTS_OF_C = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/', re.DOTALL)


def comments_of_c(text):
    for part in PARTS_OF_C.finditer(text):
        if part.group().startswith("/"):
            yield text.count("\n", 0, part.start()) + 1, re.sub(r"\A/[/*]+[!<]*|\*/\Z", "", part.group())


def comments_of_cmake(text):
    for number, line in enumerate(text.split("\n"), 1):
        if found := re.match(r'(?:[^"#]|"[^"]*")*#(.*)', line):
            yield number, found.group(1)


def comments_of_python(text):
    """Comments and docstrings: strings that are statements."""
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("#")
        elif token.type == tokenize.STRING and before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            yield token.start[0], token.string.strip("\"'rbf")
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            before = token.type


def comments(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    suffix = pathlib.Path(path.stem).suffix if path.suffix == ".in" else path.suffix  # of files that CMake fills in
    if suffix in OF_C:
        return comments_of_c(text)
    if suffix == ".py":
        return comments_of_python(text)
    if suffix == ".cmake" or path.name == "CMakeLists.txt":
        return comments_of_cmake(text)
    return ()


def faults(path):
    for number, comment in comments(path):
        for line, text in enumerate(comment.split("\n"), number):
            if BEGINNING.search(text.strip().lstrip("*").strip()):
                yield f"{path}:{line}: {text.strip()}"


def test_of_itself(folder):
    """The three kinds of files, with as many faults as lines that say so."""
    cases = {"a.cpp": '/// What it is.\nint i;  ///< number. Those of x\nconst char* s = "// That is a string";\n/* Good.\n * That. */\n',
             "b.py": '"""What it is."""\nx = "What"  # That of y\n\ndef f():\n    """Good\n    Those"""\n',
             "c.cmake": '# That file\nset(x "# What")  # whatever\n'}
    found = 0
    for name, text in cases.items():
        (folder / name).write_text(text, encoding="utf-8")
        found += sum(1 for _ in faults(folder / name))
    assert found == 7, found


def main(root, scratch):
    test_of_itself(pathlib.Path(scratch))
    files = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*"))]
    found = [fault for path in [root / "CMakeLists.txt", *files] if path.is_file() for fault in faults(path)]
    print("\n".join(found), end="\n" if found else "")
    print(f"{len(found)} sentences of comments begin with What, That or Those")
    return len(found) > 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2]))
