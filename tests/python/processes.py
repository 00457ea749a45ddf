# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Run by mpirun: fields and correlators of several processes are those of one (docs/parallel.md)."""
import sys

import numpy as np

import kaon
import reference

SITE = (1, 2, 0, 5)

lattice = kaon.Lattice((4, 4, 2, 8))
assert lattice.processes == int(sys.argv[1]), lattice.processes
if lattice.processes == 2:
    assert lattice.local_extents == (4, 4, 2, 4), lattice.local_extents
assert lattice.sum([1.0, lattice.rank]).tolist() == [lattice.processes, sum(range(lattice.processes))]
assert lattice.sum([2j])[0] == 2j * lattice.processes

links = kaon.GaugeField(lattice, start="weak", seed=3, width=0.2)
whole = links.to_numpy(gather=True)
assert whole.shape == (8, 2, 4, 4, 4, 3, 3)
assert np.allclose(links.plaquette(), reference.plaquette(whole), rtol=0, atol=1e-14)
for mu in range(4):
    assert abs(links.polyakov_loop(mu) - reference.polyakov_loop(whole, mu)) < 1e-14
assert abs(kaon.wilson_loops(links, 2, 4)[0, 0] - links.plaquette().temporal) < 1e-14

s = kaon.Solver(kaon.Wilson(links, mass=0.3), tolerance=1e-12).propagator(kaon.PointSource(SITE))
matrices = s.to_numpy(gather=True)
column = np.ascontiguousarray(matrices[..., 1, 2])
missing = reference.wilson(whole, column, 0.3)
missing[SITE[3], SITE[2], SITE[1], SITE[0], 1, 2] -= 1
assert reference.norm(missing) < 1e-11, reference.norm(missing)

pion = np.roll(np.sum(np.abs(matrices) ** 2, axis=(1, 2, 3, 4, 5, 6, 7)), -SITE[3])
assert np.allclose(kaon.meson(s, s)[0], pion, rtol=1e-13)
assert np.allclose(s.pion(), pion, rtol=1e-13)
density = np.sum(np.abs(matrices) ** 2, axis=(4, 5, 6, 7))
x = np.arange(4).reshape(1, 1, 1, 4)
expected = np.roll(np.sum(density * np.exp(-2j * np.pi * (x - SITE[0]) / 4), axis=(1, 2, 3)), -SITE[3])
assert np.allclose(kaon.meson(s, s, momenta=[(1, 0, 0)])[0], expected, rtol=1e-12)
# Domain wall quarks in four and in five dimensions.
wall = kaon.DomainWall(links, mass=0.1, slices=4, b=1.5, c=0.5)
q = kaon.Solver(wall, tolerance=1e-12).propagator(kaon.PointSource(SITE))
found, middle = (np.sum(np.abs(each.to_numpy(gather=True)) ** 2, axis=(1, 2, 3, 4, 5, 6, 7)) for each in (q, q.midpoint))
assert np.allclose(q.residual_mass(), np.roll(middle / found, -SITE[3]), rtol=1e-12)
eta = np.zeros((4, *lattice.site_shape(), 4, 3), complex)
eta[1:] = kaon.PointSource(SITE).make(lattice, 4, "double").to_numpy()[5]
assert (wall.residual(kaon.Solver(wall, tolerance=1e-11)(eta), eta) < 1.1e-11).all()
# Links of improved staggered fermions, and several masses at once.
far = kaon.Lattice((4, 4, 4, 8), reach=3)
thin = kaon.GaugeField(far, start="weak", seed=4, width=0.2)
fat, long = thin.hisq_links()
eta = kaon.PointSource((1, 0, 2, 5)).make(far, 1, "double")
dirac = kaon.ImprovedStaggered(fat, long, mass=0.3)
assert np.allclose(dirac(eta).to_numpy(), kaon.Hisq(thin, mass=0.3)(eta).to_numpy(), rtol=0, atol=1e-14)
near = kaon.Hisq(kaon.GaugeField(kaon.Lattice((4, 4, 4, 8)), start="weak", seed=4, width=0.2), mass=0.3)  # of reach 1
assert np.allclose(dirac(eta).to_numpy(), near(eta.to_numpy()).to_numpy(), rtol=0, atol=1e-13)
for mass, x in zip((0.3, 0.5), kaon.MultiMassSolver(dirac, (0.3, 0.5), tolerance=1e-11)(eta)):
    assert (kaon.ImprovedStaggered(fat, long, mass=mass).residual(x, eta) < 1.1e-11).all()
for shift, x in zip((0.1, 0.4), kaon.MultiShiftSolver(dirac, (0.1, 0.4), tolerance=1e-11)(eta)):
    field = x.to_numpy()
    missing = dirac.normal(x).to_numpy() + shift * field - eta.to_numpy()
    assert np.sqrt(far.sum(np.sum(np.abs(missing) ** 2)) / 3) < 1.1e-11 * 3
# Eigenvectors go through a file of all processes.
file = f"eigenvectors_{lattice.processes}.lime"
low = kaon.Eigenvectors(kaon.Staggered(links, mass=0.3), 3)
low.save(file)
again = kaon.Eigenvectors.load(kaon.Staggered(links, mass=0.1), file)
assert np.allclose(again.values, low.values - 4 * (0.3**2 - 0.1**2), rtol=0, atol=1e-12)
assert all(np.allclose(v.to_numpy(), w.to_numpy(), rtol=0, atol=1e-14) for v, w in zip(low, again))
try:
    from mpi4py import MPI
except ImportError:
    MPI = None
if MPI is not None and lattice.processes > 1:  # each process with a lattice of its own
    alone = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank)
    mine = kaon.Lattice((4, 4, 2, 8), comm=alone)
    assert mine.processes == 1 and mine.local_extents == mine.extents
    own = kaon.GaugeField(mine, start="weak", seed=3, width=0.2)
    assert np.array_equal(own.to_numpy(), whole)
    assert np.allclose(kaon.Eigenvectors.load(kaon.Staggered(own, mass=0.3), file).values, low.values, rtol=0, atol=1e-12)
    assert kaon.Lattice((4, 4, 2, 8), comm=MPI.COMM_WORLD.py2f()).processes == lattice.processes
# An exception of one process ends the solve of all.
last = lattice.processes - 1


def fail(iteration, residuals):
    if iteration == 3 and lattice.rank == last:
        raise RuntimeError("from the callback")


try:
    kaon.Solver(kaon.Wilson(links, mass=0.3), progress=fail)(kaon.PointSource(SITE).make(lattice, 4, "double"))
    assert False, "the solve went on"
except (RuntimeError, kaon.Stopped) as error:
    assert isinstance(error, kaon.Stopped) == (lattice.rank != last), error
if lattice.rank == 0:
    print(f"{lattice.processes} processes agree")
