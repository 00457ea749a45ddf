# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Comments of kaon come through Doxygen's and Sphinx' markup as they are."""
import sys

import documents
import pytest

sys.path.insert(0, str(documents.SOURCE / "docs" / "site"))
import docstrings  # noqa: E402


def test_of_cpp():
    header = """#pragma once
namespace kaon::detail {
class Hidden;
}
/// All of <a, b>.
namespace kaon {
class Lattice;
/// |r|^2 = <r, r> of `a_b<T>`, half of it:
///
///   C(t) = sum_x |S|^2,
///     t = 0
///
/// with *no* markup.
template <class T>
double f(const T& x);  ///< <x, y>
extern template double f(
    const float&);
}  // namespace kaon
"""
    assert docstrings.namespace_comment(header) == ["All of <a, b>.", ""]
    assert docstrings.cpp_for_doxygen(header, "a_group") == r"""#pragma once
namespace kaon::detail {
}
namespace kaon {
/** @addtogroup a_group
@{ */
/**
\|r\|^2 = \<r, r\> of `a_b<T>`, %half of it:


@verbatim
C(t) = sum_x |S|^2,
  t = 0
@endverbatim


with \*no\* markup.
*/
template <class T>
double f(const T& x);  ///< \<x, y\>
/** @} */
}  // namespace kaon
"""


def test_of_parameters():
    header = """namespace kaon {
struct GcrParameters {
  int steps = 0;  ///< sqrt(of, const GcrParameters& x)
};
/// Of another.
struct OtherParameters {
};
/// GCR.
class Gcr {
  Gcr(Ref<int> matrix,
      const GcrParameters& parameters = {});
};
}  // namespace kaon
"""
    made = docstrings.cpp_for_doxygen(header, "a")
    assert "/**\nParameters of `Gcr`.\n*/\nstruct GcrParameters {" in made
    assert "/**\nOf another.\n*/\nstruct OtherParameters {" in made


def test_of_c():
    header = """/* SPDX */
/* kaon for C.
 *
 * - one
 *   and more */
#ifdef __cplusplus
extern "C" {
#endif
/* A status.
 * Of a call. */
typedef enum { KAON_OK = 0 /* fine */ } kaon_status;

/* --- Links --- */

typedef struct {
  int *count, sizes[4]; /* of <links> */
} kaon_links;
#ifdef __cplusplus
}
#endif
"""
    assert docstrings.c_sections(header) == ["Links"]
    assert docstrings.c_introduction(header) == ["kaon for C.", "", "- one", "  and more"]
    made = docstrings.c_for_doxygen(header, "g")
    assert "/** @addtogroup g0\n@{ */\n/**\nA status.\nOf a call.\n*/\ntypedef enum" in made
    assert "KAON_OK = 0 /**< fine */" in made
    assert "/** @} */\n/** @addtogroup g1\n@{ */\n" in made
    assert "  int *count; /**< of \\<links\\> */\n  int sizes[4]; /**< of \\<links\\> */\n" in made
    assert made.count("@{") == made.count("@}") == 2


def test_of_python():
    assert docstrings.for_sphinx(["|b - M x| of `x`, psi_ and 2*3.", "", "  a = |b|", "", "- one", "  and more"]) == [
        r"\|b - M x\| of ``x``, psi\_ and 2\*3.", "", "", "::", "", "    a = |b|", "", "", "- one", "  and more"]


@pytest.mark.parametrize("text", ["a `b` c `d", "`"])
def test_backticks_need_partners(text):
    with pytest.raises(docstrings.Fault, match="without its partner"):
        docstrings.for_sphinx([text])
