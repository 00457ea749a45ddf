# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Gamma matrices of docs/conventions.md: Euclidean, Hermitian, DeGrand-Rossi."""
from __future__ import annotations

import numpy as np

_s1 = np.array([[0, 1], [1, 0]], complex)
_s2 = np.array([[0, -1j], [1j, 0]], complex)
_s3 = np.array([[1, 0], [0, -1]], complex)
_zero = np.zeros((2, 2), complex)


def _fixed(matrix: np.ndarray) -> np.ndarray:
    matrix.flags.writeable = False
    return matrix


def _off_diagonal(upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    return _fixed(np.block([[_zero, upper], [lower, _zero]]))


one = _fixed(np.eye(4, dtype=complex))
gx = _off_diagonal(1j * _s1, -1j * _s1)
gy = _off_diagonal(-1j * _s2, 1j * _s2)
gz = _off_diagonal(1j * _s3, -1j * _s3)
gt = _off_diagonal(np.eye(2, dtype=complex), np.eye(2, dtype=complex))
g5 = _fixed(gx @ gy @ gz @ gt)
#: Charge conjugation: C g_mu C^-1 = -g_mu^T.
charge_conjugation = _fixed(gt @ gy)
