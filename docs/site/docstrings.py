# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""kaon's docstrings for Doxygen and Sphinx.

Comments of kaon are plain text: `backticks` are code, a blank line ends a paragraph, and lines that are set in are
formulas or code. Everything else means itself, such as <a, b>, |r|^2 and sum_{mu}, and has to be escaped."""
import re

_SPANS = re.compile(r"`[^`]*`")
# Doxygen takes instantiations that are promised for members, and puts classes if they are announced.
_NO_DEFINITIONS = re.compile(r"^(extern template [^;]*|(template <[^;{}]*>\n)?(class|struct) \w+);\n", re.MULTILINE)
# A comment of C, on one line or several.
_C_COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)
# Several members of a structure with one comment.
_MEMBERS = re.compile(r"^( +(?:const )?\w+ )(\*?\w+(?:\[\d+\])?(?:, \*?\w+(?:\[\d+\])?)+);( */\*.*\*/)$", re.MULTILINE)
_SECTION = re.compile(r"/\* -+ (.*?) -+ \*/")


class Fault(ValueError):
    """A comment that cannot be read."""


def _outside_spans(text, escape):
    """`text` with `escape` applied to what is not between backticks."""
    made, end = [], 0
    for span in _SPANS.finditer(text):
        made += [escape(text[end:span.start()]), span.group()]
        end = span.end()
    if "`" in text[end:]:
        raise Fault(f"a backtick without its partner:\n{text}")
    return "".join(made) + escape(text[end:])


def _escape_for_doxygen(text):
    text = re.sub(r"([\\@<>#*&$~]|(?<!\w)_|_(?!\w))", r"\\\1", text).replace("|", "\\|")
    # Words that are no links: kaon::half and files.
    return re.sub(r"%|\bhalf\b|[\w/]+\.hpp\b", lambda found: "%" + found.group(), text)


def _paragraphs(lines):
    """The lines of a comment as pairs: are these formulas or code, and the lines; None for blank lines."""
    groups = []
    for line in lines:
        kind = None if not line.strip() else line.startswith("  ")
        if kind and groups and groups[-1][0] is False and groups[-1][1][0].startswith("- "):
            kind = False  # a list continues
        if not groups or groups[-1][0] != kind:
            groups.append((kind, []))
        groups[-1][1].append(line)
    return groups


def _body_for_doxygen(lines):
    made = []
    for literal, group in _paragraphs(lines):
        if literal:
            margin = min(len(line) - len(line.lstrip()) for line in group)
            made += ["", "@verbatim", *(line[margin:] for line in group), "@endverbatim", ""]
        else:
            # Spans of code may go over lines.
            made += _outside_spans("\n".join(group), _escape_for_doxygen).split("\n")
    return made


def namespace_comment(text):
    """The lines of the comment of the namespace of a header of C++: what all of the header is about."""
    found = re.search(r"((?:^///.*\n)+)(?=namespace)", text, re.MULTILINE)
    return [line[4:] for line in found.group(1).split("\n")] if found else []


def _of_parameters(name, text):
    """The comment of a structure that has none and is the argument of a function or constructor that follows."""
    found = re.search(rf"(\w+)\([^;{{}}]*?\b{name}&? \w+(?: = {{}})?\)", re.sub("//.*", "", text))
    return [f"Parameters of `{found.group(1)}`."] if found else []


def cpp_for_doxygen(text, group):
    """A header of C++, with its comments for Doxygen. All that it declares belongs to a group."""
    made, comment = [], []
    for line in _NO_DEFINITIONS.sub("", text).split("\n"):
        found = re.match(r"^(\s*)///(?!<) ?(.*)$", line)
        if found:
            comment.append(found.group(2))
            continue
        opens = re.match(r"^namespace (?!\S*detail)[\w:]+ {$", line)
        structure = re.match(r"^struct (\w+Parameters) {$", line)
        if structure and not comment:
            comment = _of_parameters(structure.group(1), text)
        body = _body_for_doxygen(comment)
        comment = []
        if body and not opens:
            made += ["/**", *body, "*/"]
        if line.startswith("}  // namespace") and not line.endswith("detail"):
            made += ["/** @} */"]
        trailing = re.match(r"^(.*?///< ?)(.*)$", line)
        made += [trailing.group(1) + _outside_spans(trailing.group(2), _escape_for_doxygen) if trailing else line]
        if opens:
            made += [f"/** @addtogroup {group}", "@{ */"]
    return "\n".join(made)


def c_sections(text):
    """The headings of the sections of a header of C."""
    return _SECTION.findall(text)


def c_introduction(text):
    """The lines of the comment at the head of a header of C."""
    comments = (found.group(1) for found in _C_COMMENT.finditer(text))
    return [re.sub(r"^\s*\* ?", "", line) for line in next(c for c in comments if "SPDX" not in c).strip(" ").split("\n")]


def c_for_doxygen(text, group):
    """A header of C, whose plain comments become Doxygen's: those before a declaration and those behind one on its line. Comments
    before the first section belong to `group` + "0", those in the first section to `group` + "1", and so on."""
    sections = 0

    def heading(_found):
        nonlocal sections
        sections += 1
        return f"@end_and_begin {sections}@"

    def convert(found):
        lines = [re.sub(r"^\s*\* ?", "", line) for line in found.group(1).strip(" ").split("\n")]
        if found.string[:found.start()].rsplit("\n", 1)[-1].strip():
            return "/**< " + _outside_spans(" ".join(lines), _escape_for_doxygen) + " */"
        return "/**\n" + "\n".join(_body_for_doxygen(lines)) + "\n*/"

    def apart(found):
        return "\n".join(f"{found.group(1)}{name};{found.group(3)}" for name in found.group(2).split(", "))

    begin, end = 'extern "C" {\n#endif\n', "#ifdef __cplusplus\n}"
    head, body = text.split(begin)
    body, tail = body.split(end)
    body = _C_COMMENT.sub(convert, _SECTION.sub(heading, _MEMBERS.sub(apart, body)))
    body = re.sub(r"@end_and_begin (\d+)@", rf"/** @}} */\n/** @addtogroup {group}\1\n@{{ */", body)
    return f"{head}{begin}/** @addtogroup {group}0\n@{{ */\n{body}/** @}} */\n{end}{tail}"


def for_sphinx(lines):
    """The lines of a comment, or of a docstring of Python, as reStructuredText."""
    made = []
    for literal, group in _paragraphs(lines):
        if literal:
            made += ["", "::", "", *("  " + line for line in group), ""]
        elif literal is None:
            made += group
        else:
            text = _outside_spans("\n".join(group), lambda plain: re.sub(r"([\\*|_])", r"\\\1", plain))
            made += re.sub(r"`([^`]+)`", r"``\1``", text).split("\n")
    return made
