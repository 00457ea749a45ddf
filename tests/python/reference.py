# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Operators written out in numpy from the formulas of docs/conventions.md, for arrays [t, z, y, x, ...]."""
import math

import numpy as np

PAULI = [np.array([[0, 1], [1, 0]]), np.array([[0, -1j], [1j, 0]]), np.array([[1, 0], [0, -1]])]
GAMMA = [
    np.array([[0, 0, 0, 1j], [0, 0, 1j, 0], [0, -1j, 0, 0], [-1j, 0, 0, 0]]),
    np.array([[0, 0, 0, -1], [0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0]], complex),
    np.array([[0, 0, 1j, 0], [0, 0, 0, -1j], [-1j, 0, 0, 0], [0, 1j, 0, 0]]),
    np.array([[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]], complex),
]
GAMMA5 = np.diag([1.0, 1.0, -1.0, -1.0]).astype(complex)
ANTIPERIODIC = (0.0, 0.0, 0.0, math.pi)


def axis(mu):
    return 3 - mu


def ahead(field, mu, angle=0.0):
    """field(x + mu), with the boundary phase."""
    moved = np.roll(field, -1, axis(mu)).astype(complex)
    last = [slice(None)] * field.ndim
    last[axis(mu)] = -1
    moved[tuple(last)] *= np.exp(1j * angle)
    return moved


def behind(field, mu, angle=0.0):
    """field(x - mu), with the boundary phase."""
    moved = np.roll(field, 1, axis(mu)).astype(complex)
    first = [slice(None)] * field.ndim
    first[axis(mu)] = 0
    moved[tuple(first)] *= np.exp(-1j * angle)
    return moved


def dagger(matrices):
    return np.swapaxes(matrices, -1, -2).conj()


def wilson_hop(links, psi, weights=(1, 1, 1, 1), boundary=ANTIPERIODIC):
    """D psi."""
    result = np.zeros_like(psi)
    for mu in range(4):
        u = links[..., mu, :, :]
        forward = np.einsum("...ab,...sb->...sa", u, ahead(psi, mu, boundary[mu]))
        backward = behind(np.einsum("...ba,...sb->...sa", u.conj(), psi), mu, boundary[mu])
        result += weights[mu] * np.einsum("st,...ta->...sa", np.eye(4) - GAMMA[mu], forward)
        result += weights[mu] * np.einsum("st,...ta->...sa", np.eye(4) + GAMMA[mu], backward)
    return result


def field_strength(links, mu, nu):
    """F = (Q - Q^dag)/(8i), Q the four leaves."""
    u, v = links[..., mu, :, :], links[..., nu, :, :]
    v_mu, u_nu = np.roll(v, -1, axis(mu)), np.roll(u, -1, axis(nu))
    plaquette = u @ v_mu @ dagger(u_nu) @ dagger(v)
    u_b, v_b = np.roll(u, 1, axis(mu)), np.roll(v, 1, axis(mu))  # at x - mu
    second = v @ dagger(np.roll(u_b, -1, axis(nu))) @ dagger(v_b) @ u_b
    u_c = np.roll(u_b, 1, axis(nu))  # at x - mu - nu
    v_c = np.roll(v_b, 1, axis(nu))
    third = dagger(u_b) @ dagger(v_c) @ u_c @ np.roll(v, 1, axis(nu))
    u_d, v_d = np.roll(u, 1, axis(nu)), np.roll(v, 1, axis(nu))  # at x - nu
    fourth = dagger(v_d) @ u_d @ np.roll(v_d, -1, axis(mu)) @ dagger(u)
    q = plaquette + second + third + fourth
    return (q - dagger(q)) / 8j


def clover(links, psi, csw, csw_temporal=None, xi0=1.0):
    """A psi."""
    result = np.zeros_like(psi)
    temporal = csw if csw_temporal is None else csw_temporal
    for mu in range(4):
        for nu in range(mu + 1, 4):
            sigma = 0.5j * (GAMMA[mu] @ GAMMA[nu] - GAMMA[nu] @ GAMMA[mu])
            coefficient = temporal if nu == 3 else csw / xi0
            result -= 0.5 * coefficient * np.einsum("st,...ab,...tb->...sa", sigma, field_strength(links, mu, nu), psi)
    return result


def wilson(links, psi, mass, csw=0.0, csw_temporal=None, mu=0.0, xi0=1.0, nu=1.0, boundary=ANTIPERIODIC):
    """M psi of Wilson, clover and twisted-mass fermions."""
    weights = (nu / xi0, nu / xi0, nu / xi0, 1.0)
    result = (mass + 1 + 3 * nu / xi0) * psi - 0.5 * wilson_hop(links, psi, weights, boundary)
    if csw or csw_temporal:
        result += clover(links, psi, csw, csw_temporal, xi0)
    return result + 1j * mu * np.einsum("st,...ta->...sa", GAMMA5, psi)


def twisted_doublet(links, psi, epsilon, mu=0.0, **physics):
    """M psi = (M_W + i mu g5 tau3 - epsilon tau1) psi of fields [flavour, t, z, y, x, spin, colour]."""
    return np.array([wilson(links, psi[0], mu=mu, **physics), wilson(links, psi[1], mu=-mu, **physics)]) - epsilon * psi[::-1]


def on_slices(psi, mass, b, c):
    """b psi + c S psi of fields [s, t, z, y, x, spin, colour]: (S psi)_s = P_- psi_{s+1} + P_+ psi_{s-1}, -m at the walls."""
    ahead_s, behind_s = np.roll(psi, -1, 0), np.roll(psi, 1, 0)
    ahead_s[-1] *= -mass
    behind_s[0] *= -mass
    upper = np.array([1, 1, 0, 0])[:, None]
    b, c = (np.reshape(number, (-1,) + (psi.ndim - 1) * (1,)) for number in (b, c))  # of all slices, or of each
    return b * psi + c * ((1 - upper) * ahead_s + upper * behind_s)


def domain_wall(links, psi, mass, m5=1.8, b=1.0, c=0.0, xi0=1.0, nu=1.0, boundary=ANTIPERIODIC):
    """D psi = (b D_W + 1) psi + (c D_W - 1) S psi."""
    kernel = [wilson(links, each, -m5, xi0=xi0, nu=nu, boundary=boundary) for each in on_slices(psi, mass, b, c)]
    return np.array(kernel) + on_slices(psi, mass, 1, -1)


def overlap(kernel, slices, mass, b, c):
    """D_ov(m) = (1 + m)/2 + (1 - m)/2 g5 eps of the matrix D_W, whose rows are [site, spin, colour]."""
    one = np.eye(len(kernel))
    gamma5 = np.kron(np.eye(len(kernel) // 12), np.kron(GAMMA5, np.eye(3)))
    h = gamma5 @ ((b + c) * kernel) @ np.linalg.inv(2 * one + (b - c) * kernel)
    above, below = (np.linalg.matrix_power(one + sign * h, slices) for sign in (1, -1))
    return (1 + mass) / 2 * one + (1 - mass) / 2 * gamma5 @ (above - below) @ np.linalg.inv(above + below)


def staggered(links, chi, mass, boundary=ANTIPERIODIC):
    """M chi = 2 m chi + D chi."""
    t, z, y, x = np.ogrid[tuple(slice(n) for n in chi.shape[:4])]
    result = 2 * mass * chi
    for mu, exponent in enumerate((t + 0 * x, t + x, t + x + y, 0 * t)):
        eta = np.broadcast_to((-1.0) ** exponent, chi.shape[:4])[..., None]
        u = links[..., mu, :, :]
        forward = np.einsum("...ab,...b->...a", u, ahead(chi, mu, boundary[mu]))
        backward = behind(np.einsum("...ba,...b->...a", u.conj(), chi), mu, boundary[mu])
        result = result + eta * (forward - backward)
    return result


def plaquette(links):
    """Average, spatial, temporal."""
    means = {}
    for mu in range(4):
        for nu in range(mu + 1, 4):
            u, v = links[..., mu, :, :], links[..., nu, :, :]
            p = u @ np.roll(v, -1, axis(mu)) @ dagger(np.roll(u, -1, axis(nu))) @ dagger(v)
            means[mu, nu] = np.trace(p, axis1=-2, axis2=-1).real.mean() / 3
    spatial = [value for (_, nu), value in means.items() if nu < 3]
    temporal = [value for (_, nu), value in means.items() if nu == 3]
    return np.mean(list(means.values())), np.mean(spatial), np.mean(temporal)


def energy_and_charge(links):
    """E of spatial and of temporal planes, Q."""
    f = {(mu, nu): field_strength(links, mu, nu) for nu in range(4) for mu in range(nu)}
    energy = [0.0, 0.0]
    for (_, nu), plane in f.items():
        traceless = plane - np.trace(plane, axis1=-2, axis2=-1)[..., None, None] / 3 * np.eye(3)
        energy[nu == 3] += np.einsum("...ab,...ba->...", traceless, traceless).real.mean()
    dual = sum(sign * np.einsum("...ab,...ba->...", f[a], f[b]).real.sum()
               for sign, a, b in ((1, (0, 1), (2, 3)), (-1, (0, 2), (1, 3)), (1, (1, 2), (0, 3))))
    return energy[0], energy[1], dual / (4 * np.pi**2)


def polyakov_loop(links, mu):
    """(1/3) Tr of the product of links around the lattice, averaged over lines."""
    product = np.eye(3)
    for n in range(links.shape[axis(mu)]):
        product = product @ np.take(links[..., mu, :, :], n, axis(mu))
    return np.trace(product, axis1=-2, axis2=-1).mean() / 3


def even_odd(field):
    """[t, z, y, x, ...] as [parity, t, z, y, x/2, ...], in loops."""
    nt, nz, ny, nx = field.shape[:4]
    result = np.empty((2, nt, nz, ny, nx // 2) + field.shape[4:], field.dtype)
    for t in range(nt):
        for z in range(nz):
            for y in range(ny):
                for x in range(nx):
                    result[(t + z + y + x) % 2, t, z, y, x // 2] = field[t, z, y, x]
    return result


def norm(field):
    return math.sqrt(np.sum(np.abs(field) ** 2))
