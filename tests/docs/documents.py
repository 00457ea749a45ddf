# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""The documents of a checkout: their headings, links, blocks of code and commands."""
import json
import pathlib
import re
from dataclasses import dataclass

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TUTORIALS = SOURCE / "docs" / "tutorials"
_MARKER = re.compile(r"<!-- (quotes|not run): (.+?) -->")


def documents():
    """All files of Markdown that are read by people, except for the pages of the site alone."""
    top = sorted(SOURCE.glob("*.md")) + sorted((SOURCE / "examples").glob("*.md"))
    return top + sorted(p for p in (SOURCE / "docs").rglob("*.md") if "site" not in p.relative_to(SOURCE).parts)


def text_of(path):
    return path.read_text(encoding="utf-8")


def slug(heading):
    """The anchor that forges make of a heading."""
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


@dataclass(frozen=True)
class Block:
    """Code between fences: where it stands, its language ("" where none is named), the last heading before it, its number
    among those of the language family under this heading, and the marker in the comment before it: ("quotes", a file of the
    checkout), ("not run", a reason), or none."""

    path: pathlib.Path
    line: int
    language: str
    heading: str
    number: int
    marker: tuple[str, str] | None
    code: str

    def __str__(self):
        return f"{self.path.relative_to(SOURCE)}:{self.line}"

    def name(self):
        """A name for files and tests, which does not depend on lines."""
        return f"{self.path.stem}/{slug(self.heading)}-{self.number}"


def blocks(path, *languages):
    """The fenced blocks of a document in these languages, or all."""
    found, counts = [], {}
    heading, marker, inside = "", None, None
    for number, line in enumerate(text_of(path).splitlines(), 1):
        if inside is not None:
            if line.startswith("```"):
                language, begin, lines = inside
                key = (heading, language)
                counts[key] = counts.get(key, 0) + 1
                found.append(Block(path, begin, language, heading, counts[key], marker, "\n".join(lines) + "\n"))
                inside, marker = None, None
            else:
                inside[2].append(line)
        elif line.startswith("```"):
            inside = (line[3:].strip(), number, [])
        elif line.startswith("#"):
            heading, marker = line.lstrip("#").strip(), None
        elif _MARKER.fullmatch(line.strip()):
            marker = _MARKER.fullmatch(line.strip()).groups()
        elif line.strip():
            marker = None
    assert inside is None, f"{path}: the block of line {inside[1]} does not end"
    return [block for block in found if not languages or block.language in languages]


def prose(path):
    """The lines of a document with their numbers, fenced blocks and comments blank."""
    inside, lines = False, []
    for number, line in enumerate(re.sub(r"<!--.*?-->", lambda c: "\n" * c.group().count("\n"), text_of(path),
                                         flags=re.DOTALL).splitlines(), 1):
        fence = line.startswith("```")
        lines.append((number, "" if inside or fence else line))
        inside ^= fence
    return lines


def anchors(path):
    """The anchors of a document's headings; the second heading of a name gets -1, and so on."""
    made, seen = set(), {}
    for _, line in prose(path):
        if re.match(r"#{1,6} ", line):
            name = slug(line.lstrip("#"))
            made.add(name if name not in seen else f"{name}-{seen[name]}")
            seen[name] = seen.get(name, 0) + 1
    return made


def commands(path):
    """Command lines of a document with their numbers: lines of blocks, set in or between fences without a language, whose
    continuations are joined; and code within sentences."""
    found = []
    lines = text_of(path).splitlines()
    fence, number = None, 0
    while number < len(lines):
        line = lines[number]
        begin = number + 1
        if line.startswith("```"):
            fence = line[3:].strip() or "plain" if fence is None else None
        elif fence in ("plain", "sh", "console") or (fence is None and line.startswith("    ")):
            joined = line.strip()
            while joined.endswith("\\") and number + 1 < len(lines):
                number += 1
                joined = joined[:-1].rstrip() + " " + lines[number].strip()
            found.append((begin, joined))
        number += 1
    # Spans of code may go over the end of a line.
    plain = "\n".join("" if line.startswith("    ") else line for _, line in prose(path))
    for span in re.finditer(r"(?<!`)`([^`]+)`(?!`)", plain):
        found.append((plain.count("\n", 0, span.start()) + 1, " ".join(span.group(1).split())))
    return found


def measured_commands():
    """The commands of docs/measurements, with their files and their numbers in these."""
    for file in sorted((SOURCE / "docs" / "measurements").rglob("*.json")):
        for number, command in enumerate(json.loads(text_of(file))["command"], 1):
            yield file, number, command
