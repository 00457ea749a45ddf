#!/usr/bin/env python3
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Builds the documents as a site, in FOLDER/html. Any warning of Doxygen or Sphinx is an error.

The pages are the files of Markdown as they are, collected in FOLDER/pages where the checkout has them, and those of
docs/site/pages. The references are made of the headers by Doxygen and of the docstrings of the Python package, which is
imported from the checkout and starts nothing. Needs Sphinx with myst-parser, breathe and furo, and Doxygen; no network."""
import argparse
import ast
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

import check
import docstrings

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGES = pathlib.Path(__file__).resolve().parent / "pages"
LAYERS = ("core", "comm", "gauge", "io", "operators", "solvers", "multigrid", "quarks", "measure", "hmc", "predict", "campaign")
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
PICTURE = re.compile(r"<!-- picture ([\w.-]+): (.+?) -->")


def documents():
    """The files of Markdown in the checkout that are pages."""
    return [SOURCE / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md")] + sorted(
        path for path in (SOURCE / "docs").rglob("*.md") if PAGES not in path.parents)


def write(path, text):
    """Writes a file unless it is so already, so that Sphinx reads it again only if it has changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def run(command, log, **options):
    """Runs a command; its output goes to a file and, where it fails or warns, to the caller."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False, **options)
    write(log, done.stdout)
    return done.returncode, done.stdout


def make_pictures(folder):
    """Runs the tutorials whose pictures are missing or older than they are."""
    folder.mkdir(parents=True, exist_ok=True)
    for tutorial in sorted((SOURCE / "docs" / "tutorials").glob("*.md")):
        named = [folder / name for name, _ in PICTURE.findall(tutorial.read_text(encoding="utf-8"))]
        if any(not p.exists() or p.stat().st_mtime < tutorial.stat().st_mtime for p in named):
            status, output = run([sys.executable, SOURCE / "docs" / "tutorials" / "run.py", "--pictures", folder, tutorial],
                                 folder / (tutorial.stem + ".log"), env={"KAON_TUNE": "off", **os.environ})
            if status:
                sys.exit(f"{output}docs: {tutorial} failed")


def make_xml(doxygen, work):
    """The comments of the public headers, read by Doxygen: those of C++, and kaon.h. Returns, for
    each header of C++ that declares anything in public, its concepts, which Doxygen puts into no group."""
    headers = SOURCE / "include" / "kaon"
    for header in [*headers.rglob("*.hpp"), headers / "kaon.h"]:
        text = header.read_text(encoding="utf-8")
        try:
            if header.suffix == ".h":
                language, text = "c", docstrings.c_for_doxygen(text, "kaon_h_")
            else:
                language, text = "cpp", docstrings.cpp_for_doxygen(text, group_of(header))
        except docstrings.Fault as fault:
            sys.exit(f"docs: {header}: {fault}")
        write(work / "headers" / language / "kaon" / header.relative_to(headers), text)
    template = (SOURCE / "docs" / "site" / "Doxyfile.in").read_text(encoding="utf-8")
    for language in ("cpp", "c"):
        folder = work / "doxygen" / language
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        settings = {"INPUT": work / "headers" / language, "OUTPUT": folder, "FOR_C": "YES" if language == "c" else "NO"}
        for name, value in settings.items():
            template_of = template if name == "INPUT" else text
            text = template_of.replace(f"@{name}@", str(value))
        write(folder / "Doxyfile", text)
        status, output = run([doxygen, folder / "Doxyfile"], folder / "log")
        if status or "warning:" in output or "error:" in output:
            sys.exit(f"{output}docs: Doxygen found faults in the comments of the headers")
    folder = work / "doxygen" / "cpp" / "xml"
    for path in (work / "doxygen" / "c" / "xml").glob("group__*.xml"):
        read_group(path)
    groups = {name: [] for name in map(read_group, folder.glob("group__*.xml"))}
    for path in folder.glob("conceptkaon*.xml"):
        concept = xml.etree.ElementTree.parse(path).find("compounddef")
        header = re.sub(r"\W", "_", concept.find("location").get("file"))
        if header in groups and "::detail::" not in concept.findtext("compoundname"):
            groups[header].append(concept.findtext("compoundname"))
    return groups


def read_group(group):
    """The name of a group of Doxygen, whose functions and types get their namespace, which breathe leaves out there, and
    enumerations without a name the mark of one, which Doxygen has left out since 1.9.8."""
    tree = xml.etree.ElementTree.parse(group)
    for member in tree.iterfind(".//memberdef"):
        name = member.find("name")
        name.text = name.text or "@" + member.get("id").rpartition("_")[2]
        scoped = re.search(r"[\w:]+::(?=" + re.escape(name.text) + "$)",
                           member.findtext("qualifiedname") or member.findtext("definition") or "")
        if scoped:
            name.text = scoped.group() + name.text
    tree.write(group, encoding="utf-8", xml_declaration=True)
    return tree.findtext("compounddef/compoundname")


def group_of(header):
    """Doxygen's group of a header."""
    return re.sub(r"\W", "_", str(header.relative_to(SOURCE / "include")))


def group_lines(group, language):
    """A group of Doxygen on a page."""
    return [f"```{{doxygengroup}} {group}", f":project: {language}", ":content-only:", ":members:", ":undoc-members:", "```", ""]


def mark_of(*headers):
    """A comment that changes with the headers, so that Sphinx reads a page again which is made of them."""
    return f"% {hashlib.sha256(b''.join(header.read_bytes() for header in headers)).hexdigest()}"


def layer_page(layer, concepts):
    """The reference of the headers of a layer that declare anything in public."""
    headers = sorted((SOURCE / "include" / "kaon" / layer).glob("*.hpp"))
    lines = [mark_of(*headers), "", f"# {layer}", ""]
    for header in headers:
        group = group_of(header)
        if group not in concepts:
            continue
        about = docstrings.namespace_comment(header.read_text(encoding="utf-8"))
        lines += [f"## kaon/{layer}/{header.name}", "", "```{eval-rst}", *docstrings.for_sphinx(about), "```", ""]
        lines += group_lines(group, "cpp")
        for concept in concepts[group]:
            lines += [f"```{{doxygenconcept}} {concept}", ":project: cpp", "```", ""]
    return "\n".join(lines)


def c_page():
    """The reference of kaon.h."""
    header = SOURCE / "include" / "kaon" / "kaon.h"
    text = header.read_text(encoding="utf-8")
    lines = [mark_of(header), "", "# C reference: kaon.h", "", "```{eval-rst}", *docstrings.for_sphinx(docstrings.c_introduction(text)), "```", ""]
    for number, title in enumerate(["Status", *docstrings.c_sections(text)]):
        lines += [f"## {title}", "", *group_lines(f"kaon_h_{number}", "c")]
    return "\n".join(lines)


def examples_page():
    """The example programs."""
    lines = ["# Example programs", "", "[How to build and run them](README.md)", ""]
    for path in sorted((SOURCE / "examples").iterdir()):
        language = {".cpp": "cpp", ".c": "c", ".f90": "fortran"}.get(path.suffix)
        if language:
            lines += [f"## {path.name}", "", f"```{{literalinclude}} {path.name}", f":language: {language}", "```", ""]
    return "\n".join(lines)


def program_page(program):
    """The program's help on itself and its subcommands."""
    def says(*arguments):
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{done.stderr}docs: {program} {' '.join(arguments)} failed")
        return ["```text", done.stdout.strip().partition("\n\nExit codes:")[0] if arguments[1:] else done.stdout.strip(), "```", ""]

    lines = ["# The program: options", "", "The guide is [the program `kaon`](../docs/program.md).", ""]
    top = says("--help")
    lines += ["## kaon", "", *top]
    for name in re.findall(r"^  ([a-z-]+)  ", top[1][top[1].index("Subcommands:"):], re.MULTILINE):
        lines += [f"## kaon {name}", "", *says(name, "--help")]
    return "\n".join(lines)


def python_page(text):
    """The reference of the Python package, with the names at the end that docs/site/pages/reference/python.md lacks."""
    module = ast.parse((SOURCE / "python" / "kaon" / "__init__.py").read_text(encoding="utf-8"))
    public = next(ast.literal_eval(each.value) for each in module.body
                  if isinstance(each, ast.Assign) and each.targets[0].id == "__all__")
    lines = []
    for name in public:
        if not re.search(rf"\b(kaon\.)?{name}$", text, re.MULTILINE):
            lines += [f".. auto{'class' if name[0].isupper() else 'function'}:: kaon.{name}", ""]
    return text + ("\n".join(["", "## More", "", "```{eval-rst}", *lines, "```", ""]) if lines else "")


def stage(pages, pictures, concepts, program):
    """Collects the pages. Files that they link to come along; pictures are inserted if they have been made."""
    kept = set()

    def put(name, text):
        write(pages / name, text)
        kept.add(pages / name)

    for document in documents():
        name = document.relative_to(SOURCE)
        text = document.read_text(encoding="utf-8")

        def shown(found, folder=name.parent):
            picture = pictures / found.group(1)
            if not picture.exists():
                return ""
            (pages / folder).mkdir(parents=True, exist_ok=True)
            shutil.copy2(picture, pages / folder)
            kept.add(pages / folder / found.group(1))
            return f"![{found.group(2)}]({found.group(1)})"

        text = PICTURE.sub(shown, text)
        for target, _ in LINK.findall(text):
            linked = (document.parent / target).resolve()
            if linked.is_file() and linked.suffix != ".md" and SOURCE in linked.parents:
                copy = pages / linked.relative_to(SOURCE)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(linked, copy)
                kept.add(copy)
        if name == pathlib.Path("README.md"):
            put("index.md", text + contents(program))
        else:
            put(name, re.sub(r"\]\(((?:\.\./)*)README\.md", r"](\1index.md", text) if name.parent.name != "examples" else text)
    for page in sorted(PAGES.rglob("*.md")):
        if page.name != "contents.md":
            text = page.read_text(encoding="utf-8")
            put(page.relative_to(PAGES), python_page(text) if page.name == "python.md" else text)
    for layer in LAYERS:
        put(f"reference/cpp/{layer}.md", layer_page(layer, concepts))
    put("reference/c.md", c_page())
    put("examples/programs.md", examples_page())
    for path in (SOURCE / "examples").iterdir():
        if path.suffix in (".cpp", ".c", ".f90"):
            put(f"examples/{path.name}", path.read_text(encoding="utf-8"))
    if program:
        put("reference/program.md", program_page(program))
    stale = [path for path in pages.rglob("*") if path.is_file() and path not in kept]
    for path in stale:
        path.unlink()
    if stale:  # their pages of HTML go, too
        shutil.rmtree(pages.parent / "html", ignore_errors=True)
        shutil.rmtree(pages.parent / "doctrees", ignore_errors=True)


def contents(program):
    """The tables of contents, with the documents that docs/site/pages/contents.md does not name at the end."""
    text = (PAGES / "contents.md").read_text(encoding="utf-8")
    if not program:
        text = re.sub(r"^.*reference/program.*\n", "", text, flags=re.MULTILINE)
    named = set(re.findall(r"\bdocs/[\w/-]+", text))
    rest = [str(path.relative_to(SOURCE).with_suffix("")) for path in documents() if path.parent == SOURCE / "docs"]
    others = [name for name in rest if name not in named]
    more = ["", "```{toctree}", ":hidden:", ":caption: More", "", *others, "```", ""] if others else []
    return "\n" + text[text.index("```"):] + "\n".join(more)


def make_html(work):
    begin = time.monotonic()
    jobs = os.environ.get("KAON_DOCS_JOBS", "auto")
    status, output = run([sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-j", jobs,
                          "-c", SOURCE / "docs" / "site", "-d", work / "doctrees", work / "pages", work / "html"],
                         work / "sphinx.log",
                         env={**os.environ, "KAON_DOCS_SOURCE": str(SOURCE), "KAON_DOCS_WORK": str(work),
                              "PYTHONDONTWRITEBYTECODE": "1"})
    if status:
        sys.exit(f"{output}docs: Sphinx found faults in the documents")
    faults = check.faults(work / "html", SOURCE / "include" / "kaon")
    if faults:
        sys.exit("\n".join([*faults, "docs: the site is not as it should be"]))
    print(f"docs: {work / 'html' / 'index.html'}, {time.monotonic() - begin:.0f} s of Sphinx")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", metavar="FOLDER", type=pathlib.Path, required=True)
    parser.add_argument("--doxygen", metavar="PROGRAM", default="doxygen")
    parser.add_argument("--program", metavar="FILE", type=pathlib.Path, help="kaon, whose help becomes a page")
    parser.add_argument("--pictures", action="store_true",
                        help="run the tutorials and show their pictures: kaon and matplotlib must be there")
    arguments = parser.parse_args()
    work = arguments.output.resolve()
    pictures = work / "pictures"
    if arguments.pictures:
        make_pictures(pictures)
    concepts = make_xml(arguments.doxygen, work)
    stage(work / "pages", pictures, concepts, arguments.program)
    make_html(work)


if __name__ == "__main__":
    main()
