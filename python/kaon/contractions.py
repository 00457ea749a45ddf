# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Correlators of mesons and baryons, by numpy from the propagators of each process; momenta by their phases.

Positions are relative to the source of the first propagator, times t = 0 .. T-1 too: those of mesons periodic, those of
baryons without the phases of the boundary."""
from __future__ import annotations

from itertools import permutations
from typing import Any, Sequence

import numpy as np

from .errors import InvalidArgument
from .gamma import charge_conjugation, g5, gt, one
from .library import compare
from .spinor import Propagator
from .values import chosen, numbers, require_kind, shown

Momenta = Sequence[Sequence[int]]
#: Phases of local staggered mesons in the position (x, y, z) relative to the source, each averaged over its terms.
STAGGERED_CHANNELS: dict[str, tuple[tuple[int, int, int], ...]] = {
    "pseudoscalar": ((0, 0, 0),),  # the Goldstone pion
    "scalar": ((1, 1, 1),),  # the other local pion, and the scalar
    "vector": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "axial-vector": ((0, 1, 1), (1, 0, 1), (1, 1, 0)),
}


def _require_propagators(spins: int, *propagators: Propagator) -> None:
    for given in propagators:
        require_kind(given, Propagator, "a propagator is needed")
        if given.spins != spins:
            raise InvalidArgument(f"a propagator of {given.spins} spins is given; {spins} are needed")
        if given.lattice.extents != propagators[0].lattice.extents or given.lattice.grid != propagators[0].lattice.grid:
            raise InvalidArgument(f"propagators are on {propagators[0].lattice!r} and {given.lattice!r}")
        if given.source_site != propagators[0].source_site:
            raise InvalidArgument(f"propagators have the sources {propagators[0].source_site} and {given.source_site}")


def _spin_matrix(matrix: np.ndarray, name: str) -> np.ndarray:
    made = np.asarray(numbers(matrix, name), complex)
    if made.shape != (4, 4):
        raise InvalidArgument(f"{name} has the shape {made.shape}; a matrix of spins is (4, 4)")
    return made


def _project(density: np.ndarray, of: Propagator, momenta: Momenta, *given: Any) -> np.ndarray:
    """C[p, t] = sum_x exp(-i p.(x - x0)) density[t, z, y, x], over all processes, which pass the same arguments; t from the
    source on."""
    lattice = of.lattice
    modes = numbers(momenta, "momenta")
    if modes.ndim != 2 or modes.shape[1] != 3 or not np.issubdtype(modes.dtype, np.integer):
        raise InvalidArgument(f"momenta = {shown(momenta)} are not integers (n_x, n_y, n_z), in units of 2 pi / L")
    for n in modes.tolist():
        same = tuple((c + (length - 1) // 2) % length - (length - 1) // 2 for c, length in zip(n, lattice.extents))
        if any(2 * abs(c) > length for c, length in zip(n, lattice.extents)):
            raise InvalidArgument(f"momentum {tuple(n)} is the same as {same} on {'x'.join(map(str, lattice.extents[:3]))} sites: "
                                  "give numbers up to half of the extents")
    compare(lattice, "a correlator", of.source_site, modes.tolist(), *given)
    sums = density
    waves = []  # of z, y and x for each momentum
    for mu in (2, 1, 0):
        local = lattice.origin[mu] + np.arange(lattice.local_extents[mu]) - of.source_site[mu]
        waves.append(np.exp(-2j * np.pi * np.outer(modes[:, mu], local) / lattice.extents[mu]))
    sums = np.einsum("tzyx,pz,py,px->pt", sums, *waves, optimize=True)
    whole = np.zeros((len(modes), lattice.extents[3]), complex)
    whole[:, lattice.origin[3]:lattice.origin[3] + lattice.local_extents[3]] = sums
    return np.roll(lattice.sum(whole), -of.source_site[3], axis=1)


def meson(quark: Propagator, antiquark: Propagator, source: np.ndarray | None = None, sink: np.ndarray | None = None,
          momenta: Momenta = ((0, 0, 0),)) -> np.ndarray:
    """C[p, t] = < O_sink(p, t) O_source(0)^dag > of O = qbar' Gamma q, without disconnected parts:

        C = -sum_x exp(-i p.x) tr[ Gamma_sink S(x) g_t Gamma_source^dag g_t g5 S'(x)^dag g5 ],

    complex, with momenta 2 pi n / L; Gamma is g5 unless given. Equal Gammas and p = 0 yield positive numbers up to lattice artefacts; g5 yields
    sum |S|^2. The propagators must come from one point-like source. Collective."""
    _require_propagators(4, quark, antiquark)
    left = _spin_matrix(g5 if sink is None else sink, "sink")
    middle = gt @ _spin_matrix(g5 if source is None else source, "source").conj().T @ gt @ g5
    s = quark.to_matrices()
    other = s if antiquark is quark else antiquark.to_matrices()
    # tr[L S M S'^dag g5] = sum (g5 L)_{ab} S_{bc} M_{cd} conj(S'_{ad}): products of spins first.
    first = np.einsum("ab,...bice,cd->...aide", g5 @ left, s, middle, optimize=True)
    return _project(-np.einsum("...aide,...aide->...", first, other.conj(), optimize=True), quark, momenta, left.tolist(), middle.tolist())


def baryon(up: Propagator, down: Propagator, projector: np.ndarray | None = None, diquark: np.ndarray | None = None,
           momenta: Momenta = ((0, 0, 0),)) -> np.ndarray:
    """C[p, t] of the nucleon N = eps_abc (u_a^T G d_b) u_c with G = C g5, or another `diquark`:

        C = sum_x exp(-i p.x) P_{s's} eps_abc eps_a'b'c' G_{ij} G'_{i'j'} D^{bb'}_{jj'}
                  [ U^{aa'}_{ii'} U^{cc'}_{ss'} - U^{ac'}_{is'} U^{ca'}_{si'} ],   G' = g_t G^* g_t^T,

    complex; P = (1 + g_t)/2 unless given. Times at which quarks have gone over the boundary in time, those from T - x0_t on,
    have its three phases taken out (`Propagator.time_boundary`): C(t) does not depend on where the source is. Collective."""
    _require_propagators(4, up, down)
    g = _spin_matrix(charge_conjugation @ g5 if diquark is None else diquark, "diquark")
    p = _spin_matrix((one + gt) / 2 if projector is None else projector, "projector")
    bar = gt @ g.conj() @ gt.T
    u = up.to_matrices()
    d = u if down is up else down.to_matrices()
    gdg = np.einsum("ij,...jbkv,lk->...iblv", g, d, bar, optimize=True)  # G D G'^T: [i, b, i', b']
    pu = np.einsum("...scuw,us->...cw", u, p, optimize=True)  # tr_spin(P U)
    up_left = np.einsum("us,...sclw->...uclw", p, u, optimize=True)  # P U
    density = np.zeros(u.shape[:4], complex)
    for a, b, c in permutations(range(3)):
        for v, w, z in permutations(range(3)):  # a', b', c'
            sign = _EPSILON[a, b, c] * _EPSILON[v, w, z]
            x = gdg[..., :, b, :, w]
            density += sign * np.einsum("...il,...il->...", x, u[..., :, a, :, v]) * pu[..., c, z]
            density -= sign * np.einsum("...il,...iu,...ul->...", x, u[..., :, a, :, z], up_left[..., :, c, :, v],
                                        optimize=True)
    correlator = _project(density, up, momenta, p.tolist(), g.tolist(), up.time_boundary, down.time_boundary)
    # psi(x + T) = exp(i angle) psi(x); no quark goes over a Dirichlet boundary
    angle = 2 * up.time_boundary + down.time_boundary
    if np.isfinite(angle):
        correlator[:, up.lattice.extents[3] - up.source_site[3]:] *= np.exp(1j * angle)
    return correlator


def staggered_meson(propagator: Propagator, channel: str = "pseudoscalar") -> np.ndarray:
    """C[t] of a local staggered meson: sum_x phase(x) sum_colours |S(x)|^2, phase averaged over the terms
    (-1)^(n.x) of the channel ("pseudoscalar", "scalar", "vector", "axial-vector"). Collective."""
    _require_propagators(1, propagator)
    terms = chosen(STAGGERED_CHANNELS, channel, "channel")
    density = np.sum(np.abs(propagator.to_matrices()) ** 2, axis=(-2, -1))
    x, y, z, _ = propagator.lattice.coordinates()
    x0, y0, z0, _ = propagator.source_site
    phase = sum((-1.0) ** (n[0] * (x - x0) + n[1] * (y - y0) + n[2] * (z - z0)) for n in terms) / len(terms)
    return _project(density * phase, propagator, [(0, 0, 0)], channel)[0].real


_EPSILON = np.zeros((3, 3, 3))
for _order in permutations(range(3)):
    _EPSILON[_order] = np.linalg.det(np.eye(3)[list(_order)])
