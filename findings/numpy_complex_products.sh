#!/usr/bin/env bash
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# NumPy 2.2.4: z * z.conj() of an array of complex numbers is not real, but z[k] * z[k].conj() is. About half of all products
# have other digits in arrays than as scalars and, in single precision, in reversed views than in the arrays.
#
# Loops over arrays use instructions that round a product and a sum once, where the processor has them. Scalars, and in
# single precision views with a negative step, have code that rounds each product, so that the two of the imaginary
# part cancel. NumPy's manual does not say that digits depend on that. The difference is in the last digit, but norms
# have an imaginary part, C(t) and conj(C(T - t)) by [::-1] agree to rounding alone, and results change where an
# expression of arrays replaces a loop. Take the real part where a product is real, and compare with a tolerance.
#
# Packages: python3-numpy 2.2.4 of Debian 13, with what it loads.
set -euo pipefail
grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo || { echo "no AVX2 and FMA: nothing to see" && exit 77; }
source "$(dirname "${BASH_SOURCE[0]}")/packages.bash"
take_lists trixie
unpack root python3-numpy=1:2.2.4+ds-1 {python3.13,libpython3.13}-minimal=3.13.5-2+deb13u5 \
  libpython3.13-stdlib=3.13.5-2+deb13u5 {libblas3,liblapack3}=3.12.1-6 {libgfortran5,libquadmath0}=14.2.0-19 \
  libexpat1=2.9.0-1~deb13u1

cat >program.py <<'P'
import numpy as np

print("NumPy", np.__version__)
random = np.random.default_rng(1)
for kind in (np.complex64, np.complex128):
    a, b = (random.normal(size=(1000, 2)).astype(kind) @ np.array([1, 1j], kind) for _ in range(2))
    of_arrays = a * b
    of_scalars = np.array([a[k] * b[k] for k in range(len(a))])
    of_halves = np.concatenate([a[:500] * b[:500], a[500:] * b[500:]])
    of_views = (a[::-1] * b[::-1])[::-1]
    print(kind.__name__, "products of 1000 unlike those of the arrays:", "as scalars", np.sum(of_scalars != of_arrays),
          "in halves", np.sum(of_halves != of_arrays), "reversed", np.sum(of_views != of_arrays))
    print(kind.__name__, "z conj(z) that are not real:", np.sum((a * a.conj()).imag != 0), "of the array,",
          sum((z * z.conj()).imag != 0 for z in a), "of scalars")
P
lib=$folder/root/usr/lib/$(uname -m)-linux-gnu
PYTHONHOME=$folder/root/usr PYTHONPATH=$folder/root/usr/lib/python3/dist-packages LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack \
  root/usr/bin/python3.13 program.py | tee seen
cat >as_stated <<'TEXT'
NumPy 2.2.4
complex64 products of 1000 unlike those of the arrays: as scalars 438 in halves 0 reversed 438
complex64 z conj(z) that are not real: 1000 of the array, 0 of scalars
complex128 products of 1000 unlike those of the arrays: as scalars 429 in halves 0 reversed 0
complex128 z conj(z) that are not real: 1000 of the array, 0 of scalars
TEXT
diff as_stated seen && echo "as stated (expected: 0 everywhere)"
