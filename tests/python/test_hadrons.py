# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Every operator of kaon.measure on 4^3 x 6, by numpy from the formulas of docs/conventions.md and from propagators alone."""
import itertools
import math

import numpy as np
import pytest

import kaon
import reference

TIMES = 6
SITE = (1, 3, 1, 4)
SINK_TIME = 2
MOMENTA = [[0, 0, 0], [1, 0, 0], [0, -1, 1]]
MASSES = {"l": 0.4, "s": 0.6, "c": 0.9}
QUARKS = {name: {"action": "wilson", "mass": mass} for name, mass in MASSES.items()}
COMMON = {"quark": QUARKS, "source": {"sites": [SITE]}, "solver": {"tolerance": 1e-13}}
CHANNELS = {"positive": 1, "negative": -1, "positive_x": 1, "negative_z": -1}

GX, GY, GZ, GT = reference.GAMMA
G5 = reference.GAMMA5
ONE = np.eye(4)
C = GT @ GY
EPSILON = np.zeros((3, 3, 3))
for order in itertools.permutations(range(3)):
    EPSILON[order] = np.linalg.det(np.eye(3)[list(order)])


@pytest.fixture(scope="module")
def cube():
    return kaon.GaugeField(kaon.Lattice((4, 4, 4, TIMES)), start="weak", seed=12, width=0.2)


@pytest.fixture(scope="module")
def solvers(cube):
    return {name: kaon.Solver(kaon.Wilson(cube, mass=mass), tolerance=1e-13) for name, mass in MASSES.items()}


@pytest.fixture(scope="module")
def propagators(solvers):
    """S[t, z, y, x, (spin, colour), (spin, colour)] of each quark."""
    return {name: matrices(solver.propagator(kaon.PointSource(SITE))) for name, solver in solvers.items()}


def matrices(propagator):
    s = propagator.to_numpy()
    return s.reshape(s.shape[:4] + (12, 12))


def gamma(word):
    """The product that a word such as g4g5 is, or 1."""
    product = ONE
    for each in word.split("g")[1:]:
        product = product @ (G5 if each == "5" else reference.GAMMA[int(each) - 1])
    return product


def of_spin(matrix):
    return np.kron(matrix, np.eye(3))


def adjoint(s):
    """g5 S^dag g5."""
    g5 = of_spin(G5)
    return g5 @ np.swapaxes(s, -1, -2).conj() @ g5


def source_gamma(matrix):
    """Gamma of Obar for O = qbar' Gamma q."""
    return GT @ matrix.conj().T @ GT


def waves(momentum):
    """exp(-i p.(x - x0)) [1, z, y, x]"""
    x = [np.arange(4) - SITE[mu] for mu in range(3)]
    phase = [np.exp(-2j * np.pi * momentum[mu] * x[mu] / 4) for mu in range(3)]
    return phase[2][:, None, None] * phase[1][:, None] * phase[0]


def project(density, momenta=MOMENTA):
    """[momentum][t] of density[t, z, y, x, ...], t from the source on."""
    sums = np.array([np.tensordot(density, waves(p), axes=((1, 2, 3), (0, 1, 2))) for p in momenta])
    return np.roll(np.moveaxis(sums, 1, -1), -SITE[3], axis=-1)


def without_boundary(correlator):
    """Three antiperiodic quarks change their sign at the boundary in time."""
    times = correlator.shape[-1]
    return np.where(np.arange(times) >= times - SITE[3], -1, 1) * correlator


def expect_near(found, expected):
    """Channels [.., channel, t] agree to 1e-11 of the largest, and none is so small that this would be true of zero."""
    assert found.shape == expected.shape
    largest = np.abs(expected).max()
    assert np.abs(expected).max(axis=-1).min() > 1e-8 * largest
    assert np.abs(found - expected).max() < 1e-11 * largest


def test_mesons_of_all_gammas(cube, propagators):
    given = {**COMMON, "meson": [{"quarks": ["l", "s"], "gammas": ["all"], "momenta": MOMENTA}]}
    meson = kaon.measure(cube, given)["meson"]["l_s"]
    assert len(meson["channel"]) == 256
    light, antiquark = propagators["l"], adjoint(propagators["s"])
    density = []
    for words in meson["channel"]:
        sink, source = (gamma(word) for word in words.split(":"))
        density.append(-np.einsum("...ab,...ba->...", of_spin(sink) @ light @ of_spin(source_gamma(source)), antiquark))
    expect_near(meson["correlator"][0, 0], project(np.moveaxis(density, 0, -1)))


# B = sum of coefficient eps_abc (q1_a^T G q2_b) q3_c, quarks a, b, c.
OPERATORS = {"nucleon": ([(1, "aba")], C @ G5), "lambda": ([(2, "abc"), (1, "acb"), (-1, "bca")], C @ G5)}
NORM = {"nucleon": 1, "lambda": 1 / 6}
for direction, matrix in zip("xyz", (GX, GY, GZ)):
    OPERATORS["delta_" + direction] = ([(1, "aaa")], C @ matrix)
    OPERATORS["sigma_star_" + direction] = ([(2, "aba"), (1, "aab")], C @ matrix)
    NORM.update({"delta_" + direction: 1, "sigma_star_" + direction: 1 / 3})


def contracted(slots, sink, joined):
    """< B_s Bbar_s' > of one contraction: quark n of the sink, slots[n], is joined to place joined[n] of the source."""
    first, second, third = (slot.reshape(slot.shape[:4] + (4, 3, 12)) for slot in slots)
    diquark = np.einsum("abc,ij,...iam,...jbn->...cmn", EPSILON, sink, first, second, optimize=True)
    open_sink = np.einsum("...cmn,...sco->...smno", diquark, third, optimize=True)
    places = np.argsort(joined)  # the quark of the sink at each place of the source
    ordered = np.transpose(open_sink, (0, 1, 2, 3, 4) + tuple(5 + places))
    ordered = ordered.reshape(ordered.shape[:5] + (4, 3, 4, 3, 4, 3))
    bar = GT @ sink.conj() @ GT.T
    sign = np.linalg.det(np.eye(3)[list(joined)])
    return sign * np.einsum("kl,abc,...skalbrc->...sr", bar, EPSILON, ordered, optimize=True)


def baryon(kind, quarks, replaced=None):
    """The density [t, z, y, x, s, s'] of all contractions of `quarks` {a: S, ..}; with `replaced` = (letter, S') the sum of those
    where one quark of that flavour at a time has S' instead."""
    terms, sink = OPERATORS[kind]
    density = 0
    for (one, of_sink), (other, of_source) in itertools.product(terms, repeat=2):
        for joined in itertools.permutations(range(3)):
            if any(of_sink[n] != of_source[joined[n]] for n in range(3)):
                continue
            slots = [quarks[letter] for letter in of_sink]
            if replaced is None:
                density = density + NORM[kind] * one * other * contracted(slots, sink, joined)
                continue
            for n in range(3):
                if of_sink[n] == replaced[0]:
                    changed = slots[:n] + [replaced[1]] + slots[n + 1:]
                    density = density + NORM[kind] * one * other * contracted(changed, sink, joined)
    return density


def projector(channel):
    parity = (ONE + CHANNELS[channel] * GT) / 2
    direction = channel.partition("_")[2]
    return parity @ (1j * G5 @ reference.GAMMA["xyz".index(direction)]) if direction else parity


@pytest.mark.parametrize("kind", OPERATORS)
def test_baryons(cube, propagators, kind):
    letters = sorted(set("".join(quarks for _, quarks in OPERATORS[kind][0])))
    names = dict(zip(letters, "lsc"))
    given = {**COMMON, "baryon": [{"kind": kind, "quarks": list(names.values()), "momenta": MOMENTA, "channels": list(CHANNELS)}]}
    found = kaon.measure(cube, given)["baryon"]["_".join([kind, *names.values()])]
    density = baryon(kind, {letter: propagators[name] for letter, name in names.items()})
    traced = np.einsum("cus,...su->...c", [projector(word) for word in found["channel"]], density)
    expect_near(found["correlator"][0, 0], without_boundary(project(traced)))


def test_three_open_quarks(cube, propagators):
    given = {**COMMON, "baryon": [{"kind": "open", "quarks": ["l", "s", "c"], "momenta": MOMENTA}]}
    open_quarks = kaon.measure(cube, given)["baryon"]["open_l_s_c"]
    assert open_quarks["channel"][1 * 1024 + 2 * 256 + 3 * 64 + 0 + 4 * 2 + 1] == "123:021"
    found = open_quarks["correlator"][0, 0]
    l, s, c = (propagators[name].reshape(TIMES, 4, 4, 4, 4, 3, 4, 3) for name in "lsc")
    diquark = np.einsum("abe,xyf,...iakx,...jbly->...efijkl", EPSILON, EPSILON, l, s, optimize=True)
    density = np.einsum("...efijkl,...menf->...ijmkln", diquark, c, optimize=True)
    expect_near(found, without_boundary(project(density)).reshape(found.shape))


@pytest.fixture(scope="module")
def to_sink(solvers):
    """S(x, y) of the light quark for all x at SINK_TIME from the source on, [x, t, z, y, x, 12, 12]: by g5 from sources at x."""
    time = (SITE[3] + SINK_TIME) % TIMES
    sinks = [(x, y, z, time) for z, y, x in itertools.product(range(4), repeat=3)]
    return np.array([adjoint(matrices(solvers["l"].propagator(kaon.PointSource(sink)))) for sink in sinks])


def forward(links, s, mu):
    """U_mu(y) S(y + mu), with the antiperiodic boundary."""
    return of_color(links[..., mu, :, :], reference.ahead(s, mu, reference.ANTIPERIODIC[mu]))


def backward(links, s, mu):
    """U_mu(y - mu)^dag S(y - mu)."""
    return reference.behind(of_color(reference.dagger(links[..., mu, :, :]), s), mu, reference.ANTIPERIODIC[mu])


def of_color(u, s):
    split = s.reshape(s.shape[:-2] + (4, 3, 12))
    return np.einsum("...ab,...sbn->...san", u, split, optimize=True).reshape(s.shape)


def with_current(links, current, from_source, to_sink, momentum):
    """sum over space of S(x, y) J(y) S(y, x0), [t of y][x], J the current with exp(-i q.(y - x0))."""
    rows = reference.dagger(to_sink)  # columns of y, which links and boundaries multiply as they do those of quarks

    def joined(matrix, left, right):
        """sum over y of left^dag Gamma right."""
        wave = np.broadcast_to(waves(momentum), right.shape[:4])
        return np.einsum("ntzyxba,tzyxbc,tzyx->tnac", left.conj(), of_spin(matrix) @ right, wave, optimize=True)

    if current.startswith("conserved"):
        # (1/2) [qbar(y+mu) (1 + g) U^dag q(y) - qbar(y) (1 - g) U q(y+mu)]
        mu = int(current[-1]) - 1
        g = reference.GAMMA[mu]
        ahead = np.array([forward(links, row, mu) for row in rows])
        return (joined(ONE + g, ahead, from_source) - joined(ONE - g, rows, forward(links, from_source, mu))) / 2
    word, _, direction = current.partition("d")
    if not direction:
        return joined(gamma(word), rows, from_source)
    mu = int(direction) - 1

    def derivative(s):
        return (forward(links, s, mu) - backward(links, s, mu)) / 2

    of_rows = np.array([derivative(row) for row in rows])
    return (joined(gamma(word), rows, derivative(from_source)) - joined(gamma(word), of_rows, from_source)) / 2


CURRENTS = ["g4", "g3g5", "g1g2", "g4d4", "g2d3", "conserved4", "conserved1"]
SINK, TRANSFER = [1, 0, 0], [0, -1, 1]


def at_sink(density):
    """[current's t][sink's x] to [t from the source on], with the momentum of the sink."""
    return np.roll(np.tensordot(density, waves(SINK).reshape(64), axes=(1, 0)), -SITE[3])


def test_three_point_functions_of_mesons(cube, propagators, to_sink):
    given = {**COMMON, "three_point": [{"kind": "meson", "quarks": ["l", "s"], "gammas": ["g4:g1g5"], "sink_times": [SINK_TIME],
                                        "sink_momenta": [SINK], "currents": CURRENTS, "momenta": [TRANSFER]}]}
    found = kaon.measure(cube, given)["three_point"]["meson_l_s_u_g4_t2_p1_0_0"]
    antiquark = adjoint(propagators["s"])[(SITE[3] + SINK_TIME) % TIMES].reshape(64, 12, 12)
    expected = []
    for words in found["channel"]:
        lines = with_current(cube.to_numpy(), words.split(":")[0], propagators["l"], to_sink, TRANSFER)
        traced = -np.einsum("ab,tnbc,cd,nda->tn", of_spin(GT), lines, of_spin(source_gamma(GX @ G5)), antiquark, optimize=True)
        expected.append(at_sink(traced))
    expect_near(found["correlator"][0, 0, 0], np.array(expected))


@pytest.mark.parametrize("kind, names, flavor", [("nucleon", "ls", "u"), ("lambda", "sll", "s"), ("sigma_star_y", "sl", "d")])
def test_three_point_functions_of_baryons(cube, propagators, to_sink, kind, names, flavor):
    given = {**COMMON, "three_point": [{"kind": kind, "quarks": list(names), "flavors": [flavor], "sink_times": [SINK_TIME], "projectors": ["positive_x"],
                                        "sink_momenta": [SINK], "currents": ["g3g5", "g4d4"], "momenta": [TRANSFER]}]}
    found = kaon.measure(cube, given)["three_point"]["_".join([kind, *names, flavor, "positive_x", "t2", "p1", "0", "0"])]
    time = (SITE[3] + SINK_TIME) % TIMES
    quarks = {letter: propagators[name][time][None] for letter, name in zip("abc", names)}
    letter = "abc"["uds".index(flavor)]
    crossed = -1 if SITE[3] + SINK_TIME >= TIMES else 1
    expected = []
    for word in found["channel"]:
        lines = with_current(cube.to_numpy(), word, propagators["l"], to_sink, TRANSFER)
        changed = baryon(kind, quarks, (letter, lines.reshape(TIMES, 4, 4, 4, 12, 12)))
        expected.append(crossed * at_sink(np.einsum("us,...su->...", projector("positive_x"), changed).reshape(TIMES, 64)))
    expect_near(found["correlator"][0, 0, 0], np.array(expected))


def with_staggered_phases(links):
    """Links with eta_mu(x) and the sign of the antiperiodic boundary."""
    t, z, y, x = np.indices(links.shape[:4])
    phased = links.copy()
    for mu, exponent in enumerate((t, t + x, t + x + y, 0 * t)):
        phased[..., mu, :, :] *= ((-1.0) ** exponent)[..., None, None]
    phased[-1, ..., 3, :, :] *= -1
    return phased


def signs_of(bits):
    """s_G(x) of gamma matrices by their bits."""
    t, z, y, x = np.indices((TIMES, 4, 4, 4))
    chosen = [mu for mu in range(4) if bits >> mu & 1]
    if len(chosen) in (1, 3):
        chosen = [mu for mu in range(4) if mu not in chosen]
    return (-1.0) ** sum(((x, y, z, t)[mu] for mu in chosen), 0 * x)[..., None, None]


def sign_of(order):
    if len(order) == 2:
        return 1 if order in ((1, 0), (2, 1), (0, 2)) or order[0] == 3 else -1
    return round(np.linalg.det(np.eye(len(order))[list(np.argsort(order))])) if len(order) > 2 else 1


def spin_taste(links, chi, spin, taste):
    """gamma_S x xi_T of fields [t, z, y, x, colour, column]."""
    directions = [mu for mu in range(4) if (spin ^ taste) >> mu & 1]
    result = 0
    for order in itertools.permutations(directions):
        each = signs_of(spin) * chi
        for mu in order:
            u = links[..., mu, :, :]
            each = signs_of(1 << mu) * (u @ np.roll(each, -1, 3 - mu) + np.roll(reference.dagger(u) @ each, 1, 3 - mu))
        result = result + sign_of(order) * each
    return signs_of(15) * result / (2 ** len(directions) * math.factorial(len(directions)))


def test_staggered_hadrons(cube):
    words = [word for word in itertools.product(["1", "g1", "g2g3", "g4g5"], ["1", "g3", "g1g4", "g2g5", "g5"])]
    given = {"quark": {"l": {"action": "staggered", "mass": 0.3}}, "source": {"sites": [SITE]}, "solver": {"tolerance": 1e-13},
             "meson": [{"quarks": ["l", "l"], "gammas": ["g5-all", *("-".join(word) for word in words)], "momenta": MOMENTA}],
             "baryon": [{"kind": "staggered", "quarks": ["l"], "momenta": MOMENTA}]}
    result = kaon.measure(cube, given)
    links = cube.to_numpy()
    shape = (TIMES, 4, 4, 4, 3)
    matrix = np.array([reference.staggered(links, one.reshape(shape), 0.3).ravel() for one in np.eye(192 * TIMES, dtype=complex)]).T
    inverse = np.linalg.inv(matrix)
    phased = with_staggered_phases(links)
    source = np.zeros(shape + (3,), complex)
    source[SITE[::-1]] = np.eye(3)

    def solved(eta):
        return (inverse @ eta.reshape(192 * TIMES, 3)).reshape(shape + (3,))

    plain = solved(source)
    meson, density = result["meson"]["l_l"], []
    for channel in meson["channel"]:
        word = channel.split(":")[0]
        spin, _, taste = ("g5-g5" if word == "g5" else word).partition("-")
        bits = [int(np.bitwise_xor.reduce([15 if each == "5" else 1 << int(each) - 1 for each in name.split("g")[1:]] or [0]))
                for name in (spin, taste)]
        operated = spin_taste(phased, solved(spin_taste(phased, source, *bits)), *bits)
        density.append(np.sum(operated * plain.conj(), axis=(-2, -1)))
    expect_near(meson["correlator"][0, 0], project(np.moveaxis(density, 0, -1)))
    even = sum((np.indices((TIMES, 4, 4, 4))[3 - mu] - SITE[mu]) % 2 for mu in range(3)) == 0
    determinants = (even * np.linalg.det(plain))[..., None]
    expect_near(result["baryon"]["staggered_l"]["correlator"][0, 0], without_boundary(project(determinants)))
