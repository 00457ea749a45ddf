# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""declarations.py, which the build makes from kaon.h, against the library."""
import ctypes

import pytest

from kaon import declarations
from kaon.library import library

INITS = [name for name in declarations.FUNCTIONS if name.endswith("_init")]


@pytest.mark.parametrize("name", INITS)
def test_structures_have_the_size_that_c_writes_into_them(name):
    [pointer] = declarations.FUNCTIONS[name][1]
    made = pointer._type_()
    getattr(library(), name)(ctypes.byref(made))
    assert made.size == ctypes.sizeof(made)


def test_functions_and_numbers():
    """Examples of each form of the header."""
    functions = declarations.FUNCTIONS
    assert len(functions) > 50 and len(INITS) > 10
    assert functions["kaon_last_error"] == (ctypes.c_char_p, [])
    numbers, handle = ctypes.POINTER(ctypes.c_double), ctypes.c_void_p
    assert functions["kaon_gauge_energy"] == (ctypes.c_int, [handle, numbers, numbers])
    assert functions["kaon_set_log"] == (ctypes.c_int, [declarations.Log, ctypes.c_void_p])
    assert functions["kaon_gauge_destroy"] == (None, [ctypes.POINTER(handle)])
    assert (declarations.HISQ, declarations.CGNE, declarations.INNER_OUTER) == (6, 6, 2)
    assert declarations.FLOWS == {"wilson": declarations.WILSON_FLOW, "symanzik": declarations.SYMANZIK_FLOW}
    assert declarations.VECTOR_FORMATS == {"scidac": 0, "quda": 1, "milc-packed": 2}
    assert declarations.INTEGRATORS["fourth-order"] == declarations.FOURTH_ORDER and declarations.METHODS["gcr-dd"] == 3
    assert declarations.CORRELATOR_FORMS == {"cosh": 0, "oscillating-cosh": 1}
