# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""The numbers and pictures of docs/spectrum.md.

usage: python3 examples/spectrum/analyse.py FOLDER [--results FILE.json] [--pictures FOLDER]

FOLDER has the folders that `kaon measure` wrote: walls, two_point and, for the charges of the nucleon, three_point."""
import argparse
import json
import pathlib

import numpy as np

import kaon

KAPPAS = {"heavy": 0.1324, "light": 0.1342}
#: First and last times of fits, plateaus and ratios.
PION, PCAC, HEAVIER, CURRENT = (11, 15), (6, 14), (4, 13), (3, 7)
SINK_TIME = 10
#: Coefficients at beta = 6.0, g0^2 = 1: docs/spectrum.md has their sources.
C_A, Z_A, B_A, Z_V, B_V, KAPPA_C, Z_M = -0.0828, 0.7924, 1.152, 0.77802, 1.47162, 0.135196, 1.752
#: r0/a, and r0 m_K and the masses of K and K* in MeV with r0 = 0.5 fm.
R0, R0_KAON, MEV = 5.368, 495.0 * 0.5 / 197.327, 197.327 / 0.5 * 5.368
#: Published numbers by quantity and quark: text, value and error.
PUBLISHED = {"plaquette": ("0.593678(24)", 0.593678, 0.000024), "f_K in MeV": ("156(17)", 156.0, 17.0),
             "(M_s + M_l)/F_K": ("0.874(29)", 0.874, 0.029), "m_K* in MeV": ("892", 892.0, 89.2),
             "g_A heavy": ("1.18(11)", 1.18, 0.11), "g_A light": ("1.18(11)", 1.18, 0.11)}


def quark_mass(quark):
    """The bare subtracted mass a m_q."""
    return (1 / KAPPAS[quark] - 1 / KAPPA_C) / 2


def pion(walls, quark):
    """The joint fit of <PP> and <A_4 P>, with f/Z_A of the local and of the improved current and f, and the PCAC mass by time."""
    both = kaon.Correlators(walls.meson(quark, quark, "g5"), walls.meson(quark, quark, "g4g5:g5"))

    def constants(energies, amplitudes):
        mass, a, b = energies[0], amplitudes[0, 0], -amplitudes[1, 0]
        local = b * np.sqrt(2 / (mass * a))
        improved = local + C_A * np.sinh(mass) * np.sqrt(2 * a / mass)
        return [local, improved, Z_A * (1 + B_A * quark_mass(quark)) * improved]

    def pcac(p, a):
        return kaon.pcac_mass(a, p, C_A)

    return both.fit(PION, derived=constants), both.plateau(pcac, PCAC), both.estimate(pcac), both.parts[0]


def nucleon(ensemble, quark, sink):
    """The average of forward times of the positive and backward times of the negative parity."""
    forward, backward = (ensemble.baryon("nucleon", quark, quark, channel=parity, sink=sink) for parity in ("positive", "negative"))
    return (forward - backward.reversed()) / 2


def heavier(ensemble, quark, hadron):
    """The fit of two states to both sinks, and the correlator with the smeared one."""
    sinks = [nucleon(ensemble, quark, sink) if hadron == "m_N" else ensemble.meson(quark, quark, ("g1", "g2", "g3"), sink=sink)
             for sink in ("point", "smeared")]
    return kaon.Correlators(*sinks).fit(HEAVIER, states=2), sinks[1]


def charges(ensemble, quark):
    """Ratios of three- to two-point functions by the time of the current, for g_A/Z_A, 1/Z_V and the charge of the conserved current, and
    their plateaus."""
    two = ensemble.baryon("nucleon", quark, quark)

    def three(current, flavor, projector, part):
        return ensemble.three_point("nucleon", quark, quark, current=current, flavor=flavor, projector=projector, sink_time=SINK_TIME, part=part)

    def ratio(c3, c2):
        return kaon.three_point_ratio(c3, c2, c2, SINK_TIME)

    axial = three("g3g5", "u", "positive_z", "imaginary") - three("g3g5", "d", "positive_z", "imaginary")
    found = {"g_A/Z_A": axial, "1/Z_V": three("g4", "u", "positive", "real") / 2, "conserved charge": three("conserved4", "u", "positive", "real") / 2}
    pairs = {name: kaon.Correlators(c3, two) for name, c3 in found.items()}
    return {name: (pair.estimate(ratio), pair.plateau(ratio, CURRENT)) for name, pair in pairs.items()}


class Results:
    """The rows of the table, with deviations from what is published."""

    def __init__(self):
        self.rows = []

    def add(self, quantity, quark, value, error, p_value=None, published=None):
        known = published or PUBLISHED.get(f"{quantity} {quark}" if quark else quantity)
        row = {"quantity": quantity, "kappa": KAPPAS.get(quark, ""), "kaon": shown(value, error)}
        row["published"] = known[0] if known else ""
        row["deviation"] = f"{(value - known[1]) / np.hypot(error, known[2]):+.1f}" if known else ""
        row["p"] = "" if p_value is None else f"{p_value:.2f}"
        self.rows.append(row)
        print(" | ".join(f"{text!s:>16}" for text in row.values()))


def shown(value, error):
    """0.3581(24): two digits of the error."""
    digits = max(0, 1 - int(np.floor(np.log10(error))))
    return f"{value:.{digits}f}({round(error * 10**digits)})"


def extrapolated(mass_squared, heavy, light):
    """The linear function of m_pi^2 of two values with errors, at a mass of the pion; the errors are added as if independent."""
    weight = (mass_squared - light[0]) / (heavy[0] - light[0])
    return light[1] + weight * (heavy[1] - light[1]), np.hypot((1 - weight) * light[2], weight * heavy[2])


def main():
    parser = argparse.ArgumentParser(description="Numbers and pictures of docs/spectrum.md.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--results", type=pathlib.Path, help="replace the rows of this file of JSON")
    parser.add_argument("--pictures", type=pathlib.Path, help="write spectrum.svg and charges.svg into this folder")
    given = parser.parse_args()

    def measured(name):
        return kaon.Ensemble([path for path in sorted((given.folder / name).iterdir()) if path.suffix in (".h5", ".json")])

    walls, sources = measured("walls"), measured("two_point")
    currents = measured("three_point") if (given.folder / "three_point").exists() else None
    results, pions, others = Results(), {}, {}
    checkpoint = given.folder / "b6.checkpoint.json"
    if checkpoint.exists():
        plaquette = kaon.chain_mean(json.loads(checkpoint.read_text())["plaquettes"])
        results.add("plaquette", "", plaquette.mean, plaquette.error)
    for quark in KAPPAS:
        pions[quark], others[quark] = pion(walls, quark), {hadron: heavier(sources, quark, hadron) for hadron in ("m_rho", "m_N")}
    for quark, (fit, *_) in pions.items():
        results.add("m_pi", quark, fit.energies[0], fit.energy_errors[0], fit.p_value)
    for hadron in ("m_rho", "m_N"):
        for quark in KAPPAS:
            fit = others[quark][hadron][0]
            results.add(hadron, quark, fit.energies[0], fit.energy_errors[0], fit.p_value)
    for place, name in enumerate(("f_pi/Z_A, local current", "f_pi/Z_A", "f_pi")):
        for quark, (fit, *_) in pions.items():
            results.add(name, quark, fit.derived.value[place], fit.derived.error[place])
    for quark, (_, mass, *_) in pions.items():
        results.add("m_PCAC", quark, mass.value, mass.error)
    constants, masses, vectors, squares = [], [], [], []
    for quark, (fit, mass, *_) in pions.items():
        square = fit.energies[0] ** 2
        squares.append(square)
        constants.append((square, fit.derived.value[2], fit.derived.error[2]))
        masses.append((square, mass.value / square, mass.error / square))
        vectors.append((square, others[quark]["m_rho"][0].energies[0], others[quark]["m_rho"][0].energy_errors[0]))
    kaon_squared = (R0_KAON / R0) ** 2
    f, f_error = extrapolated(kaon_squared, *constants)
    ratio, ratio_error = extrapolated(kaon_squared, *masses)
    vector, vector_error = extrapolated(kaon_squared, *vectors)
    results.add("f_K in MeV", "", f * MEV, f_error * MEV)
    sum_of_masses = 2 * Z_M * ratio * kaon_squared / f
    results.add("(M_s + M_l)/F_K", "", sum_of_masses, sum_of_masses * np.hypot(ratio_error / ratio, f_error / f))
    results.add("m_K* in MeV", "", vector * MEV, vector_error * MEV)
    found = {quark: charges(currents, quark) for quark in KAPPAS if currents}
    for quark in found:
        plateaus = {name: ratio[1] for name, ratio in found[quark].items()}
        results.add("g_A/Z_A", quark, plateaus["g_A/Z_A"].value, plateaus["g_A/Z_A"].error)
        mass = quark_mass(quark)
        formula = 1 / (Z_V * (1 + B_V * mass))  # up to terms of the order (a m_q)^2
        results.add("1/Z_V", quark, plateaus["1/Z_V"].value, plateaus["1/Z_V"].error,
                    published=(shown(formula, formula * mass**2), formula, formula * mass**2))
        axial, normalisation = plateaus["g_A/Z_A"], Z_A * (1 + B_A * mass)
        results.add("g_A", quark, axial.value * normalisation, axial.error * normalisation)
        conserved = plateaus["conserved charge"]
        results.add("charge, conserved current", quark, conserved.value, conserved.error, published=("1", 1.0, 0.0))
    if given.results:
        content = json.loads(given.results.read_text()) if given.results.exists() else {}
        rows = ",\n  ".join(json.dumps(row) for row in results.rows)
        text = json.dumps({**content, "rows": []}, indent=1)
        given.results.write_text(text.replace('"rows": []', f'"rows": [\n  {rows}\n ]') + "\n")
    if given.pictures:
        draw(given.pictures, pions, others, found)


def draw(folder, pions, others, found):
    from matplotlib import pyplot

    with pyplot.rc_context({"svg.hashsalt": "kaon", "svg.fonttype": "none"}):
        figure, axes = pyplot.subplots(1, 2, figsize=(9.5, 4), layout="constrained", sharey=True)
        for one, (quark, (fit, _, _, correlator)) in zip(axes, pions.items()):
            kaon.plot.effective_mass(correlator, one, "pion", fit=fit.fits[0], capsize=0)
            for hadron, name in (("m_rho", "rho"), ("m_N", "nucleon")):
                joint, smeared = others[quark][hadron]
                kaon.plot.effective_mass(smeared, one, name, fit=joint.fits[1], capsize=0)
            one.set(title=f"kappa = {KAPPAS[quark]}", ylim=(0, 1.4))
            one.legend(fontsize="small", ncol=2)
        figure.savefig(folder / "spectrum.svg", metadata={"Date": None})
        panels = {"m_PCAC": ("t / a", "PCAC mass, a m", (0, 0.12))}
        if found:
            panels |= {"g_A/Z_A": ("time of the current / a", "g_A / Z_A", (0, 2)), "1/Z_V": ("time of the current / a", "1 / Z_V", (1, 1.5))}
        figure, axes = pyplot.subplots(1, len(panels), figsize=(11 if found else 4.5, 3.6), layout="constrained", squeeze=False)
        for one, (name, (time, quantity, limits)) in zip(axes[0], panels.items()):
            for quark, (_, mass, by_time, _) in pions.items():
                times = np.arange(2, 16) if name == "m_PCAC" else np.arange(SINK_TIME + 1)
                points(one, times, *((by_time, mass) if name == "m_PCAC" else found[quark][name]), f"kappa = {KAPPAS[quark]}")
            one.set(xlabel=time, ylabel=quantity, ylim=limits)
        axes[0, 0].legend(fontsize="small")
        figure.savefig(folder / "charges.svg", metadata={"Date": None})


def points(axes, times, estimate, plateau, label):
    line = axes.errorbar(times, estimate.value[times], estimate.error[times], fmt="o", markersize=4, label=label)
    axes.fill_between([plateau.first, plateau.last], plateau.value - plateau.error, plateau.value + plateau.error, alpha=0.3, linewidth=0,
                      color=line.lines[0].get_color())


if __name__ == "__main__":
    main()
