# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Properties of the site: links within it lead somewhere, nothing is loaded from elsewhere, and the references have all
that is public."""
import html.parser
import pathlib
import re
import urllib.parse

from sphinx.util.inventory import InventoryFile


class Page(html.parser.HTMLParser):
    """The anchors of a page, the links on it, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag in ("script", "img", "iframe") and given.get("src"):
            self.loads.append(given["src"])
        elif tag == "link" and given.get("href") and given.get("rel") in ("stylesheet", "icon", "preload"):
            self.loads.append(given["href"])
        elif tag == "a" and given.get("href"):
            self.links.append(given["href"])


def link_faults(site):
    """Links and files of pages that do not exist."""
    pages = {path: Page(path) for path in site.rglob("*.html")}
    for path, page in pages.items():
        for target in page.links + page.loads:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                if target in page.loads and parts.scheme != "data":
                    yield f"{path.relative_to(site)} loads {target}"
                continue
            file = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            anchor = urllib.parse.unquote(parts.fragment)
            if not file.exists():
                yield f"{path.relative_to(site)} leads to {target}, which does not exist"
            elif anchor and file in pages and anchor not in pages[file].anchors:
                yield f"{path.relative_to(site)} leads to {target}, where there is no such anchor"


def types_of(header):
    """The names of the classes, structures, enumerations and aliases that a header of C++ declares in public."""
    names, open_ones = [], []  # namespaces and, as "", other braces of lines that are not set in
    text = re.sub(r",\n +public ", ", public ", header.read_text(encoding="utf-8"))  # bases on lines of their own
    for line in text.splitlines():
        opens = re.match(r"namespace ([\w:]+) {", line)
        declares = re.match(r"(?:enum )?(?:class|struct) (\w+)[^;<]*{|using (\w+) =", line)
        if declares and not any("detail" in space for space in open_ones):
            names.append("::".join([*filter(None, open_ones), declares.group(1) or declares.group(2)]))
        if re.match(r"\S.*{$", line) and not line.startswith("//"):
            open_ones.append(opens.group(1) if opens else "")
        elif line.startswith("}"):
            open_ones.pop()
    return names


def reference_faults(site, headers):
    """Names that the headers declare and the references lack."""
    with (site / "objects.inv").open("rb") as file:
        inventory = InventoryFile.load(file, "", lambda base, rest: rest)
    has = {kind: {name for key, names in inventory.items() if key.startswith(kind) for name in names} for kind in ("c:", "cpp:")}
    wanted = [("cpp:", name) for header in sorted(headers.rglob("*.hpp")) for name in types_of(header)]
    wanted += [("c:", name) for name in re.findall(r"\b(kaon_\w+)\(", re.sub(r"/\*.*?\*/", "", (headers / "kaon.h").read_text(
        encoding="utf-8"), flags=re.DOTALL))]
    for kind, name in wanted:
        if name not in has[kind]:
            yield f"the reference of {'C++' if kind == 'cpp:' else 'C'} lacks {name}"


def faults(site: pathlib.Path, headers: pathlib.Path):
    """All that is wrong."""
    return [*link_faults(site), *reference_faults(site, headers)]
