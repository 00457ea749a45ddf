# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Commands in the documents are such as their programs take: subcommands and options of `kaon`, of `python3 -m kaon`, of
./dev and tools/, presets and options of CMake, filters of ctest's labels."""
import json
import os
import re
import shlex
import subprocess
import sys

import documents
import pytest

PROGRAM = os.environ.get("KAON_PROGRAM")
PERF = os.environ.get("KAON_PERF")
# Words that are for others.
PLACEHOLDERS = {"...", "SUBCOMMAND"}


def output(*command):
    """Output of a command; its exit code must be 0."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=documents.SOURCE)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def options_of():
    """The long options of each subcommand of kaon, with the values that they are limited to, read from its --help; the key ""
    has those of kaon itself."""
    if not PROGRAM:
        pytest.skip("the program kaon is not built")
    top = output(PROGRAM, "--help")
    names = re.findall(r"^  ([a-z-]+)  ", top[top.index("Subcommands:"):], re.MULTILINE)
    assert "propagator" in names
    helps = {"": top, **{name: output(PROGRAM, name, "--help") for name in names}}
    return {name: dict(re.findall(r"^  (?:-\w,)?(--[a-z0-9-]+)(?: (\S+))?", text, re.MULTILINE))
            for name, text in helps.items()}


def words_of(command):
    """The words of a shell command, up to a comment, pipe or other command that follows; without the environment and the launcher
    in front. Returns None if it is no command."""
    command = re.sub(r"\s#.*", "", command)
    try:
        words = shlex.split(re.split(r"\s(?:&&|\|\||\||;|>)\s", command)[0])
    except ValueError:
        return None
    while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
        words.pop(0)
    if words[:1] in (["mpirun"], ["mpiexec"], ["srun"]):
        words = words[3:] if words[1:2] == ["-n"] else words[1:]
    return words


def fault_of(words, options_of):
    """Words that the program `kaon` would refuse in a command line; None if it takes all."""
    if not words or words[0] in PLACEHOLDERS:
        return None
    if words[0].startswith("-"):
        name, rest = "", words
    else:
        name, rest = words[0], words[1:]
    if name not in options_of:
        return f"kaon has no subcommand {name}"
    for position, word in enumerate(rest):
        option, _, value = word.partition("=")
        if not option.startswith("--") or option.startswith("--kokkos-"):
            continue
        if option not in options_of[name]:
            return f"kaon {name} has no option {option}"
        allowed = options_of[name][option].partition("=")[0].split("|")
        value = value or (rest[position + 1] if position + 1 < len(rest) else "")
        if len(allowed) > 1 and value not in allowed and not re.fullmatch(r"[A-Z]*|[\w-]+\|[\w|-]+", value):
            return f"kaon {name} {option} takes {'|'.join(allowed)}, not {value}"
    return None


def kaon_commands():
    """Command lines of the program kaon, also those that ./dev names: place and words behind its name."""
    lines = [(path, *command) for path in documents.documents() if path.name != "CHANGELOG.md"
             for command in documents.commands(path)]
    lines += documents.measured_commands()
    dev = documents.SOURCE / "dev"
    lines += [(dev, number, line.strip()) for number, line in enumerate(documents.text_of(dev).splitlines(), 1)]
    for path, line, command in lines:
        words = words_of(command) or []
        # "kaon (as QUDA): ..." is a message.
        if len(words) > 1 and re.fullmatch(r"(build/\w+/apps/)?kaon", words[0]) and re.match(r"[\w.-]", words[1]):
            yield f"{path.relative_to(documents.SOURCE)}:{line}", words[1:]


def test_of_kaon(options_of):
    found = list(kaon_commands())
    assert len(found) > 20, "the documents have many command lines of kaon"
    assert any(place.startswith("dev:") for place, _ in found)
    faults = [(place, fault) for place, words in found if (fault := fault_of(words, options_of))]
    assert not faults


def test_options_of_sentences(options_of):
    """An option that a sentence names alone belongs to some subcommand of kaon, or to another program of it."""
    known = {option for options in options_of.values() for option in options}
    for program in (["-m", "kaon", "plot"], ["tools/validate"]):
        known |= set(re.findall(r"--\w[\w-]*", output(sys.executable, *program, "--help")))
    if PERF:
        known |= set(re.findall(r"--\w+", output(PERF, "--help")))
    spans = [(path, line, span) for path in documents.documents() for line, span in documents.commands(path)
             if re.match(r"--[a-z]", span) and path.name != "CHANGELOG.md"]
    assert len(spans) > 30
    faults = [f"{path.relative_to(documents.SOURCE)}:{line}: {span}" for path, line, span in spans
              if (option := re.match(r"--[\w-]+", span).group()) not in known
              and not option.startswith("--kokkos-") and (PERF or not re.match("--(kaon|benchmark)_", option))]
    assert not faults


def test_of_benchmarks():
    """Options of kaon_perf exist, and filters choose some of its benchmarks."""
    if not PERF:
        pytest.skip("the benchmarks are not built")
    known = set(re.findall(r"--\w+", output(PERF, "--help")))
    found = 0
    lines = [(path, *command) for path in documents.documents() for command in documents.commands(path)]
    for path, line, command in [*lines, *documents.measured_commands()]:
        words = words_of(command) or []
        if not words or not re.fullmatch(r"(build/\w+/perf/)?kaon_perf", words[0]):
            continue
        place = f"{path.relative_to(documents.SOURCE)}:{line}"
        options = dict(word.partition("=")[::2] for word in words[1:])
        assert set(options) <= known, place
        # Gauge fields and many processes are not available.
        if "--benchmark_filter" in options and "--kaon_gauge" not in options and not command.startswith("mpirun"):
            chosen = [word for word in words[1:] if re.match("--(kaon_(extents|partition)|benchmark_filter)=", word)]
            done = subprocess.run([PERF, "--benchmark_list_tests", "--kaon_copy_mib=1", *chosen],
                                  capture_output=True, text=True, check=False)
            assert done.returncode == 0 and "/" in done.stdout, f"{place}: {done.stdout}{done.stderr}"
            found += 1
    assert found > 5


@pytest.mark.parametrize("command, fault", [
    ("propagator --gauge FILE --kapa 0.1", "kaon propagator has no option --kapa"),
    ("propagate --gauge FILE", "kaon has no subcommand propagate"),
    ("propagator --solver gmres", "takes auto|cg|bicgstab"),
    ("propagator --solver=gmres", "takes auto|cg|bicgstab"),
    ("propagator --solver multigrid --kappa=0.1 --phases milc|none", None),
    ("--helpless", "has no option --helpless"),
])
def test_wrong_commands_are_seen(command, fault, options_of):
    seen = fault_of(command.split(), options_of)
    assert fault in seen if fault else seen is None


def test_of_python(options_of):
    """`python3 -m kaon`: its subcommands and options."""
    for path in documents.documents():
        for line, command in documents.commands(path):
            words = words_of(command) or []
            if words[:3] == ["python3", "-m", "kaon"] and len(words) > 3:
                text = output(sys.executable, "-m", "kaon", words[3], "--help")
                for word in words[4:]:
                    assert not word.startswith("-") or word in text, f"{path.name}:{line}: {word}"


def test_of_checkout():
    """./dev and tools/ have the commands that the documents name; presets and options of CMake exist."""
    commands = re.findall(r"^  ([a-z]+)  ", output("./dev", "help"), re.MULTILINE)
    presets = {preset["name"] for preset in json.loads((documents.SOURCE / "CMakePresets.json").read_text())["configurePresets"]}
    cmake = "".join(p.read_text() for p in [documents.SOURCE / "CMakeLists.txt", *documents.SOURCE.glob("*/*.cmake"),
                                            *documents.SOURCE.glob("*/CMakeLists.txt"), *documents.SOURCE.glob("*/*/CMakeLists.txt")])
    known = set(re.findall(r"(?:option|set)\((KAON_\w+)", cmake)) | set(re.findall(r"find_(?:program|path)\((KAON_\w+)", cmake))
    for path in documents.documents():
        if path.name == "CHANGELOG.md":
            continue
        for line, command in documents.commands(path):
            place = f"{path.relative_to(documents.SOURCE)}:{line}: {command}"
            words = words_of(command) or []
            if words[:1] == ["./dev"]:
                assert words[1:2] == [] or words[1] in commands, place
            if words and words[0].startswith("tools/"):
                assert (documents.SOURCE / words[0]).exists(), place
            for preset in re.findall(r"--preset (\w+)", command):
                assert preset in presets, place
            for option in re.findall(r"-D(KAON_\w+)", command):
                assert option in known, place
