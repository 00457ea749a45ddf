# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""make_declarations.py HEADER VERSION FILE: writes kaon/declarations.py, which declares kaon.h to ctypes.

The script knows the forms that kaon.h uses: enumerations with numbers, flat structures, handles, pointers to functions,
and functions. It ends with an error for other forms."""
import pathlib
import re
import sys

SCALARS = {"int": "c_int", "double": "c_double", "size_t": "c_size_t", "ptrdiff_t": "c_ssize_t", "uint64_t": "c_uint64",
           "uint32_t": "c_uint32", "kaon_log": "Log", "kaon_progress": "Progress"}
START = '''# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""The numbers, structures and functions of kaon.h for ctypes. python/make_declarations.py made this file from the header."""
import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_ssize_t, c_uint32, c_uint64, c_void_p

VERSION = "%s"  # structures grow with it
'''


def python_name(c_name: str) -> str:
    """SolverOptions for kaon_solver_options."""
    return "".join(part.capitalize() for part in c_name.removeprefix("kaon_").split("_"))


def plural(c_name: str) -> str:
    """METHODS for kaon_method, PARITIES for kaon_parity."""
    name = c_name.removeprefix("kaon_").upper()
    return name[:-1] + "IES" if name.endswith("Y") else name if name.endswith("S") else name + "S"


def words_of(names: list[str]) -> list[str]:
    """The words of the program and of Python for enumerators, without what these have in common: "gcr-dd" for GCR_DD, "milc-packed"
    for VECTORS_MILC_PACKED."""
    words = [name.lower().split("_") for name in names]
    while min(map(len, words)) > 1 and len({word[0] for word in words}) == 1:
        words = [word[1:] for word in words]
    while min(map(len, words)) > 1 and len({word[-1] for word in words}) == 1:
        words = [word[:-1] for word in words]
    return ["-".join(word) for word in words]


class Header:
    def __init__(self, text: str) -> None:
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        self.text = re.sub(r"#ifdef __cplusplus.*?#endif|^\s*#.*?$", "", text, flags=re.DOTALL | re.MULTILINE)
        self.structures = re.findall(r"typedef struct \{([^}]*)\} (\w+);", self.text)
        self.types = dict(SCALARS, **{name: python_name(name) for _, name in self.structures})
        # Enumerations of arguments and results are int.
        self.types.update((name, "c_int") for name in re.findall(r"enum KAON_ENUM \{[^}]*\} (\w+);", self.text))
        self.opaque = {"void": "c_void_p", "char": "c_char_p"}
        self.opaque.update((name, "c_void_p") for name in re.findall(r"typedef struct (\w+) \1;", self.text))

    def type_of(self, base: str, stars: int) -> str:
        """The type of ctypes for a pointer of so many stars to a type of C."""
        if stars and base in self.opaque:
            name, stars = self.opaque[base], stars - 1
        else:
            name = "None" if (base, stars) == ("void", 0) else self.types[base]
        return "POINTER(" * stars + name + ")" * stars

    def declared(self, declaration: str) -> list[tuple[str, str]]:
        """Names and types of ctypes of a declaration: "int* a, b[4]"."""
        base, declarators = re.fullmatch(r"(\w+)\s*(.*)", re.sub(r"\bconst\b", "", declaration).strip(), re.DOTALL).groups()
        found = []
        for declarator in declarators.split(","):
            stars, name, length = re.fullmatch(r"([*\s]*)(\w+)(?:\[(\d+)\])?", declarator.strip()).groups()
            found.append((name, self.type_of(base, stars.count("*")) + (f" * {length}" if length else "")))
        return found

    def arguments(self, text: str) -> str:
        """The types of the parameters of a function, whose arrays are pointers."""
        parameters = [] if text == "void" else re.sub(r"(\w+)\[\d+\]", r"*\1", text).split(",")
        return ", ".join(self.declared(parameter)[0][1] for parameter in parameters)

    def declarations(self) -> str:
        lines = []
        for values, of in re.findall(r"enum (?:KAON_ENUM )?\{([^}]*)\}\s*(\w*);", self.text):
            numbers = {name: int(number) for name, number in re.findall(r"KAON_(\w+) = (-?\d+)", values)}
            lines += [f"{name} = {number}" for name, number in numbers.items()]
            if of:
                lines.append(f"{plural(of)} = {dict(zip(words_of(list(numbers)), numbers.values()))}")
        for result, name, text in re.findall(r"typedef (\w+) \(\*(\w+)\)\(([^)]*)\);", self.text):
            lines.append(f"{self.types[name]} = ctypes.CFUNCTYPE({self.type_of(result, 0)}, {self.arguments(text)})")
        for members, name in self.structures:
            fields = [field for member in members.split(";") if member.strip() for field in self.declared(member)]
            lines += ["", "", f"class {python_name(name)}(ctypes.Structure):", f'    c_name = "{name}"', "    _fields_ = ["]
            lines += [f'        ("{field}", {of}),' for field, of in fields] + ["    ]"]
        lines += ["", "", "# name: (result, arguments)", "FUNCTIONS: dict[str, tuple[object, list[object]]] = {"]
        functions = re.findall(r"KAON_API ([\w ]+?)(\**) (kaon_\w+)\(([^)]*)\);", self.text)
        if len(functions) != self.text.count("KAON_API"):
            sys.exit("make_declarations.py: a function of the header has a form that this script does not know")
        for result, stars, name, text in functions:
            of = self.type_of(result.removeprefix("const "), len(stars))
            lines.append(f'    "{name}": ({of}, [{self.arguments(text)}]),')
        return "\n".join([*lines, "}"])


if __name__ == "__main__":
    header, version, output = sys.argv[1:]
    pathlib.Path(output).write_text(START % version + Header(pathlib.Path(header).read_text()).declarations() + "\n")
