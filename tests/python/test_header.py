# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""declarations.py against kaon.h, read by pycparser: functions, structures and numbers, no less and no more."""
import ctypes
import os
import pathlib
import re

import pytest

from kaon import declarations

pycparser = pytest.importorskip("pycparser")
from pycparser import c_ast  # noqa: E402

HEADER = pathlib.Path(os.environ.get("KAON_HEADER") or pathlib.Path(__file__).parents[2] / "include/kaon/kaon.h")
SCALARS = {
    "int": ctypes.c_int, "double": ctypes.c_double, "size_t": ctypes.c_size_t, "ptrdiff_t": ctypes.c_ssize_t,
    "uint64_t": ctypes.c_uint64, "uint32_t": ctypes.c_uint32,
}


@pytest.fixture(scope="module")
def declared():
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.DOTALL)
    text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE).replace("KAON_API", "").replace("KAON_ENUM", "")
    typedefs = "typedef unsigned long size_t; typedef long ptrdiff_t; typedef unsigned long uint64_t;"                "typedef unsigned int uint32_t;\n"
    return pycparser.CParser().parse(typedefs + text).ext


def python_name(c_name):
    return "".join(part.capitalize() for part in c_name.removeprefix("kaon_").split("_"))


def structures_of(declared):
    return {d.name: d.type.type for d in declared
            if isinstance(d, c_ast.Typedef) and isinstance(d.type.type, c_ast.Struct) and d.type.type.decls}


def enumerations_of(declared):
    return [d.type.type if isinstance(d, c_ast.Typedef) else d.type for d in declared
            if isinstance(getattr(d.type, "type", None) if isinstance(d, c_ast.Typedef) else d.type, c_ast.Enum)]


def ctype_of(node, declared):
    """The type of ctypes that a declaration of the header stands for."""
    if isinstance(node, c_ast.ArrayDecl):
        return ctype_of(node.type, declared) * int(node.dim.value)
    if isinstance(node, c_ast.PtrDecl):
        inner = node.type
        if isinstance(inner, c_ast.TypeDecl) and isinstance(inner.type, c_ast.IdentifierType):
            name = inner.type.names[-1]
            if name == "void":
                return ctypes.c_void_p
            if name == "char":
                return ctypes.c_char_p
            if name.startswith("kaon_") and name not in structures_of(declared):
                return ctypes.c_void_p  # a handle
        return ctypes.POINTER(ctype_of(inner, declared))
    name = node.type.names[-1]
    if name in SCALARS:
        return SCALARS[name]
    if name in ("kaon_log", "kaon_progress"):
        return getattr(declarations, python_name(name))
    structures = structures_of(declared)
    return getattr(declarations, python_name(name)) if name in structures else ctypes.c_int  # an enumeration


def test_functions(declared):
    expected = {}
    for d in declared:
        if not isinstance(d, c_ast.Decl) or not isinstance(d.type, c_ast.FuncDecl):
            continue
        parameters = [] if d.type.args is None else d.type.args.params
        # Arrays of arguments are pointers, and (void) is none.
        types = [ctypes.POINTER(ctype_of(p.type.type, declared)) if isinstance(p.type, c_ast.ArrayDecl)
                 else ctype_of(p.type, declared) for p in parameters
                 if not (isinstance(p.type, c_ast.TypeDecl) and p.type.type.names == ["void"])]
        result = d.type.type
        is_void = isinstance(result, c_ast.TypeDecl) and result.type.names == ["void"]
        expected[d.name] = (None if is_void else ctype_of(result, declared), types)
    assert len(expected) > 50
    assert list(declarations.FUNCTIONS) == list(expected)
    for name, (result, types) in declarations.FUNCTIONS.items():
        assert (result, types) == expected[name], name


def test_structures(declared):
    structures = structures_of(declared)
    assert len(structures) > 10
    ours = {name for name, value in vars(declarations).items()
            if isinstance(value, type) and issubclass(value, ctypes.Structure)}
    assert ours == {python_name(name) for name in structures}
    for name, structure in structures.items():
        fields = [(d.name, ctype_of(d.type, declared)) for d in structure.decls]
        assert [(f, t) for f, t in getattr(declarations, python_name(name))._fields_] == fields, name


def test_numbers(declared):
    enumerations = enumerations_of(declared)
    assert len(enumerations) > 8
    for enumeration in enumerations:
        for e in enumeration.values.enumerators:
            assert getattr(declarations, e.name.removeprefix("KAON_")) == int(e.value.value), e.name


def test_callbacks(declared):
    for d in declared:
        if isinstance(d, c_ast.Typedef) and isinstance(d.type, c_ast.PtrDecl):
            ours = getattr(declarations, python_name(d.name))
            types = [ctype_of(p.type, declared) for p in d.type.type.args.params]
            result = {"void": None, "int": ctypes.c_int}[d.type.type.type.type.names[-1]]
            assert (ours._restype_, list(ours._argtypes_)) == (result, types), d.name
