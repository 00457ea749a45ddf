# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Compares the includes of kaon's files with the map in the documents.

    includes.py SOURCE_TREE

CONTRIBUTING.md lists the layers ("core <- comm <- ..."): a file includes headers of its own layer and of earlier ones.
docs/architecture.md has a table of the rooms of core/ with the rooms that each one includes; the rooms of other layers and
what each one includes are in ROOMS. Files outside core/ use none of the names in LAYOUT, from which the order of numbers
in memory could be computed. Files with templates have no ASSIGNED_LIST: nvcc takes the numbers of `x = {.b = 1}` in
their order, without the names, if the type of x depends on a template."""

import pathlib
import re
import sys

ROOMS = {
    "gauge": {"staggered": set(), "hmc": {"staggered"}, "smoothing": {"staggered", "hmc"}},
    "io": {"gauge": set(), "spinors": set()},
    "operators": {"stencil": set(), "wilson": {"stencil"}, "staggered": {"stencil"}, "domain_wall": {"stencil", "wilson"}},
    "solvers": {
        "contract": set(),
        "krylov": {"contract"},
        "shifts": {"contract"},
        "adapters": {"contract"},
        "eigen": {"contract"},
    },
    "multigrid": {
        "dense": set(),
        "coarse": {"dense"},
        "transfer": {"dense", "coarse"},
        "staggered": {"coarse", "transfer", "setup"},
        "setup": {"coarse", "transfer"},
        "domain_wall": {"dense", "coarse", "transfer", "setup"},
    },
    "quda": {
        "client": set(),
        "state": {"client"},
        "solve": {"client", "state"},
        "links": {"client", "state"},
        "milc": {"client", "state", "solve"},
    },
    "apps": {
        "cli": set(),
        "files": {"cli"},
        "quark": {"cli", "files"},
        "ensemble": {"cli", "files", "quark"},
        "commands": {"cli", "files", "quark", "ensemble"},
    },
}

LAYOUT = r"\b(?:element_offset|scale_offset|device_block|device_pair|object_size|is_one_word)\b"

ASSIGNED_LIST = r"(?:^|[;{}:)])\s*(?:[\w.*]|->|::|\[[^\]]*\]|\(\))+ [+]?=\s*\{\s*\.\w[^;]*"


def layers_of(contributing: str) -> dict[str, int]:
    """The position of each layer: those between two arrows do not include each other."""
    line = re.search(r"^core <- .*(?:\n.*<-.*)*", contributing, re.MULTILINE)[0].split(". ")[0].replace("\n", " ")
    return {layer: k for k, group in enumerate(line.split("<-")) for layer in re.findall(r"\w+", group)}


def rooms_of(architecture: str) -> dict[str, set[str]]:
    """The rooms of core/, each with those that it includes."""
    table = architecture.split("| room | content | includes |\n|---|---|---|\n")[1].split("\n\n")[0]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()]
    return {row[0].strip("/"): set(re.findall(r"\w+", row[2])) for row in rows}


def place_of(path: str) -> list[str]:
    """The layer and the room of a file or of an include; public headers are in no room."""
    parts = path.removeprefix("include/").split("/")
    return parts[1:2] if parts[0] == "kaon" else parts[:-1]


def main(top: pathlib.Path) -> None:
    layers = layers_of((top / "CONTRIBUTING.md").read_text())
    rooms = ROOMS | {"core": rooms_of((top / "docs/architecture.md").read_text())}
    files = [path for folder in [*layers, "include/kaon"] for path in (top / folder).rglob("*.[hc]*")]
    wrong, compared = [], 0
    for file in sorted(str(path.relative_to(top)) for path in files):
        here = place_of(file)
        if not here or here[0] not in layers:
            continue
        text = (top / file).read_text()
        if here[0] != "core" and (name := re.search(LAYOUT, text)):
            wrong.append(f"{file} uses {name[0]}: core/ alone depends on the layout")
        if re.search(r"^ *template <", text, re.MULTILINE):
            for found in re.finditer(ASSIGNED_LIST, re.sub(r"//.*", "", text), re.MULTILINE):
                if not found[0].lstrip(";{}:) \n").startswith("."):  # a member of another list
                    wrong.append(f"{file} assigns a list that does not name its type: {found[0].strip()}")
        for include in re.findall(r'^#include ["<]([^">]+)[">]', text, re.MULTILINE):
            there = place_of(include)
            if not there or there[0] not in layers:
                continue
            compared += 1
            if here[0] != there[0]:
                if layers[there[0]] >= layers[here[0]]:
                    wrong.append(f"{file} includes {include}: {there[0]} is not below {here[0]} in CONTRIBUTING.md")
            elif len(here) > 1 and len(there) > 1 and here[1] != there[1]:
                if there[1] not in rooms.get(here[0], {}).get(here[1], ()):
                    wrong.append(f"{file} includes {include}: the map of {here[0]}/ has no arrow from {here[1]} to {there[1]}")
    if compared < 1000:
        wrong.append(f"only {compared} includes were compared")
    print("\n".join(wrong) or f"{compared} includes fit the map")
    sys.exit(1 if wrong else 0)


main(pathlib.Path(sys.argv[1]))
