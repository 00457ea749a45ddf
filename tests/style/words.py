# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Comments and documents use the common technical words instead of idioms, and comments are sentences.

No file of COVERED may have a fault."""
import io
import pathlib
import re
import sys
import tokenize

COVERED = ("README.md", "CONTRIBUTING.md", "CMakeLists.txt", "docs", "core", "comm", "gauge", "io", "operators", "solvers",
           "multigrid", "quarks", "measure", "predict", "hmc", "include", "apps", "capi", "quda", "python", "perf", "tools", "cmake",
           "examples", "tests")
# Idioms, and the terms that say it.
IDIOMS = {
    r"go(es)? on|going on|went on": "continue",
    r"begins?(?! *[(,\]])|began|begun|beginning": "start, initialise",
    r"tells?|told": "report, inform, state",
    r"keeps?(?! P| is 0| *=)|kept": "store, cache, hold, retain",
    r"gives?(?! up|<)": "return, yield, pass",
    r"g[ai]ves? back|given back": "return",
    r"takes? (part|no part|over|it|them|those|its)": "participate, replace, use, accept",
    r"(is|are|be|was|were|been) taken": "used, accepted, computed",
    r"asks? for|asked for": "request, require",
    r"says? so": "report it",
    r"sees? to": "ensure",
    r"makes? room": "free, evict",
    r"lets?": "allow",
    r"stays?": "remain",
    r"stands? (in|at|there|here|above|below|behind|once|beside|under|still|before|with|by|on|as|for)": "be",
    r"mend(s|ed)?": "fix",
    r"spare[sd]?": "save, avoid",
    r"hands? (down|over|on)|handed (down|over|on)": "pass",
    r"has it|have it": "contain",
    r"(has|have) had": "was, were",
    r"(is|are|was|were|be|been) (not )?there": "exist, be available",
    r"where (given|needed|possible|there (is|are)|it (is|can|has|pays)|they (are|have|differ)|that (is|pays|fails|helps))": "if",
    r"brings? (it |them )?down|brought (it |them )?down": "reduce",
    r"means? nothing": "be meaningless",
    r"as of": "as for, like those of",
    r", of which": "two sentences, or whose",
    r"under way": "pending, running",
    r"anew": "again",
    r"as a rule": "usually",
    r"but for": "except for",
    r"all but": "all except",
    r"whatever": "for any, regardless of",
    r"what is left": "the rest, the remainder",
    r"for ever": "forever, indefinitely",
    r"to this day": "still",
    r"(on|upon) (its|the|their) way|the way (to|from)": "name the step",
    r"one (behind|after) the other": "consecutively, in sequence",
    r"behind (it|them|which|that|this)": "after",
    r"at hand": "available",
    r"(any|no|some|every)body|whoever": "the caller, a user, no code",
}
IDIOM = re.compile(r"\b(" + "|".join(IDIOMS) + r")\b", re.IGNORECASE)
# A sentence begins a comment, or a line of it, or follows the end of another one.
FRAGMENT = re.compile(r"(?:^|(?<=[.!?:] ))(?:What|That|Those|Of|Where|As|None|The same)\b")
# Strings and characters first, so that a "//" within them begins no comment.
PARTS_OF_C = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
OF_C = {".hpp", ".cpp", ".h", ".c", ".cuh", ".cu"}


def blank(found):
    return "\n" * found.group().count("\n")


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
    if suffix == ".py" or text.startswith("#!/usr/bin/env python3"):
        return comments_of_python(text)
    if suffix == ".cmake" or path.name == "CMakeLists.txt":
        return comments_of_cmake(text)
    if suffix == ".md":  # without code and comments
        prose = re.sub(r"^```.*?^```|<!--.*?-->|^    .*?$", blank, text, flags=re.DOTALL | re.MULTILINE)
        return [(1, re.sub(r"`[^`]*`", lambda code: "`code`" + blank(code), prose))]
    return ()


def faults(path):
    for number, comment in comments(path):
        for line, text in enumerate(comment.split("\n"), number):
            text = re.sub(r"`[^`]*`", "`code`", text.strip().lstrip("*").strip())
            found = IDIOM.search(text) or (path.suffix != ".md" and FRAGMENT.search(text))
            if found:
                yield f"{path}:{line}: [{found.group()}] {text}"


def files(root, names):
    for name in names:
        yield from [root / name] if (root / name).is_file() else sorted(path for path in (root / name).rglob("*") if path.is_file())


def test_of_itself(folder):
    """The four kinds of files, with a known number of faults."""
    cases = {"a.cpp": '/// What it is.\nint i;  ///< number. Those of x\nconst char* s = "// That is a string";\n/* Good.\n * That. */\n',
             "b.py": '"""What it is."""\nx = "What"  # It goes on.\n\ndef f():\n    """Good\n    Those"""\n',
             "c.cmake": '# That file\nset(x "# What")  # which has had x\n',
             "d.md": "It begins\n\n    anew\n\n`whatever` <!-- anew -->\n```\nanew\n```\n"}
    found = 0
    for name, text in cases.items():
        (folder / name).write_text(text, encoding="utf-8")
        found += sum(1 for _ in faults(folder / name))
    assert found == 9, found


def main(root, scratch):
    test_of_itself(pathlib.Path(scratch))
    found = [fault for path in files(root, COVERED) if path != root / "tests/style/words.py" for fault in faults(path)]
    print("\n".join(found), end="\n" if found else "")
    print(f"{len(found)} faults")
    return len(found) > 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2]))
