# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Chains and measurements that the program kaon does not have, by its Python package: Polyakov loops of every update, actions
whose quarks differ in more than their masses, and Wilson loops. A checkpoint is links in a file and a JSON file of numbers that names it."""
import json
import shlex
import time


def kaon_package():
    import kaon  # loads its library with the first object
    return kaon


class Polyakov:
    """Heatbath updates of Wilson's action, with the Polyakov loop after each: `polyakov --beta B`."""

    def __init__(self, links, seed, beta):
        self.links, self.seed, self.beta = links, seed, float(beta)

    def step(self, number):
        self.links.heatbath(beta=self.beta, seed=self.seed, update=number)
        return {"plaquettes": self.links.plaquette().average, "polyakov": abs(self.links.polyakov_loop())}


class HeavyCloverDoublet:
    """Twisted quarks with light ones without and heavy ones with a clover term, as in tmLQCD's sample-hmc-ndcloverrat.input."""

    def __init__(self, links, seed):
        kaon = kaon_package()
        heavy = kaon.RationalFlavors(kappa=0.17, csw=1.0, mu=0.1105 / 0.34, epsilon=0.0935 / 0.34, lowest=1e-4, highest=60.0)
        actions = [[kaon.TwoFlavors(kappa=0.17, mu=0.01 / 0.34), heavy], kaon.GaugeAction("symanzik", beta=3.3)]
        self.start, self.hmc = (kaon.HMC(links, actions, steps=(6, 2), seed=seed, accept_all=all_of_them) for all_of_them in (True, False))

    def step(self, number):
        done = (self.start if number <= 10 else self.hmc).trajectory(number)
        return {"plaquettes": done.plaquette, "delta_energies": done.delta_energy, "accepted": float(done.accepted)}


CHAINS = {"polyakov": Polyakov, "heavy_clover_doublet": HeavyCloverDoublet}


def write(path, content):
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content), encoding="utf-8")
    part.rename(path)


def advance(run, seed, last):
    """Brings a chain to its update `last`, with a checkpoint every minute. Returns False if the time limit comes first."""
    kaon = kaon_package()
    name, *words = shlex.split(run.options)
    options = dict(zip((word[2:] for word in words[::2]), words[1::2]))
    path, found = run.folder / f"s{seed}.checkpoint.json", run.checkpoint(seed)
    if found:
        links = kaon.GaugeField.read(run.folder / found["links"])
    else:
        links = kaon.GaugeField(kaon.Lattice(run.extents), start="hot", seed=seed)
        found = {"updates": 0, "plaquettes": []}
    chain = CHAINS[name](links, seed, **options)
    saved = time.monotonic()
    while len(found["plaquettes"]) < last:
        found["updates"] += 1
        for key, number in chain.step(found["updates"]).items():
            if found["updates"] > run.thermalization:
                found.setdefault(key, []).append(number)
        ended = run.machine.end is not None and run.machine.end - time.monotonic() < 15
        if time.monotonic() - saved > 60 or ended or len(found["plaquettes"]) == last:
            found["links"] = f"s{seed}.checkpoint-{'b' if found.get('links', '').endswith('a.lime') else 'a'}.lime"
            links.write(run.folder / found["links"])
            info = kaon.run_info()
            found["provenance"] = {key: info[key] for key in ("commit", "device", "execution_space")}
            write(path, found)
            saved = time.monotonic()
        if ended:
            return len(found["plaquettes"]) >= last
    return True


def measure_loops(gauge, output, r, t, planes, smearing=None):
    """Wilson loops of a configuration, W[r - 1][t - 1], whose links in space may be smeared first."""
    kaon = kaon_package()
    links = kaon.GaugeField.read(gauge)
    if smearing:
        links = links.smeared(**smearing)
    write(output, {"loops": kaon.wilson_loops(links, r, t, planes).tolist()})
