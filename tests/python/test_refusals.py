# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Wrong calls raise exceptions that say what is wrong. They must not crash."""
import gc

import numpy as np
import pytest

import kaon
from gpu_array import FakeGpuArray
from refusals import refuses


class NoMemory:
    """A `__dlpack__` that fails."""

    def __dlpack__(self):
        raise BufferError("it is elsewhere")


class NoCapsule:
    def __dlpack__(self):
        return 3


def test_lattices():
    refuses(kaon.InvalidArgument, "even", kaon.Lattice, (4, 4, 4, 3))
    refuses(kaon.InvalidArgument, "four integers", kaon.Lattice, (4, 4, 4))
    refuses(kaon.InvalidArgument, "four integers", kaon.Lattice, "4444")
    refuses(kaon.InvalidArgument, "four integers", kaon.Lattice, None)
    refuses(kaon.InvalidArgument, r"four integers below 2\^31", kaon.Lattice, (4, 4, 4, 2**31))
    refuses(kaon.InvalidArgument, "four integers", kaon.Lattice, (4.0, 4, 4, 4))
    refuses(kaon.InvalidArgument, "ranks", kaon.Lattice, (4, 4, 4, 4), ranks=[0])
    for ranks in (3, [0.5], "0"):
        refuses(kaon.InvalidArgument, "ranks", kaon.Lattice, (4, 4, 4, 4), grid=(1, 1, 1, 1), ranks=ranks)
    refuses(kaon.InvalidArgument, "rank", kaon.Lattice, (4, 4, 4, 4), grid=(1, 1, 1, 1), ranks=[2**32])
    refuses(kaon.InvalidArgument, "communicator of mpi4py", kaon.Lattice, (4, 4, 4, 4), comm="world")


def test_links(lattice, links):
    u = links.to_numpy()
    refuses(kaon.InvalidArgument, "shape", links.set, u[:4])
    refuses(kaon.InvalidArgument, "shape", links.set, u, "even-odd")
    refuses(kaon.InvalidArgument, "shape", links.set, u, directions_first=True)
    refuses(kaon.InvalidArgument, "float64", links.set, u.real.copy())
    refuses(kaon.InvalidArgument, "contiguous", links.set, np.asfortranarray(u))
    refuses(kaon.InvalidArgument, "contiguous", links.set, np.repeat(u, 2, axis=-1)[..., ::2])
    refuses(kaon.InvalidArgument, "contiguous", links.set, u[::-1])
    refuses(kaon.InvalidArgument, "c16|complex", links.set, u.astype(">c16"))
    refuses(kaon.InvalidArgument, "NoneType", links.set, None)
    refuses(kaon.InvalidArgument, "list", links.set, u.tolist())
    refuses(kaon.InvalidArgument, "order", links.set, u, "fortran")
    fixed = u.copy()
    fixed.flags.writeable = False
    refuses(kaon.InvalidArgument, "written", links.get, fixed)
    links.set(fixed)
    refuses(kaon.InvalidArgument, "not an integer", links.polyakov_loop, "t")
    for direction in (2**32, -2**32, 2**64 + 1):  # 0, 0 and 1 of an int of C
        refuses(kaon.InvalidArgument, "not an integer of C", links.polyakov_loop, direction)
    refuses(kaon.InvalidArgument, "not an integer of C", links.fold_phases, True, 2**32 + 1)
    refuses(kaon.InvalidArgument, "precision", kaon.GaugeField, lattice, "quarter")
    refuses(kaon.InvalidArgument, "lattice", kaon.GaugeField, (4, 4, 4, 4))
    refuses(kaon.InvalidArgument, "start", kaon.GaugeField, lattice, start="warm")
    for seed in (-1, 2**64, 1.5, None):
        refuses(kaon.InvalidArgument, "seed", kaon.GaugeField, lattice, start="hot", seed=seed)
    refuses(kaon.InvalidArgument, "width", kaon.GaugeField, lattice, start="weak", width="wide")
    other = kaon.GaugeField(lattice, start="cold")
    refuses(kaon.InvalidArgument, "overrelaxations", other.heatbath, 6.0, 2**32)
    for update in (2**32, 1.5, "two"):
        refuses(kaon.InvalidArgument, "update", other.heatbath, 6.0, update=update)


def test_devices(lattice, psi):
    """Memory that only says that it is a GPU's."""
    field = kaon.SpinorField(lattice)
    refuses(kaon.InvalidArgument, "contiguous", field.set, FakeGpuArray(psi, strides=psi.strides[::-1]))
    refuses(kaon.InvalidArgument, "elements", field.set, FakeGpuArray(psi, typestr="<f8"))
    refuses(kaon.InvalidArgument, "shape", field.set, FakeGpuArray(psi, shape=(3,)))
    refuses(kaon.InvalidArgument, "written", field.get, FakeGpuArray(psi, data=(psi.ctypes.data, True)))
    refuses(kaon.Error, "device|GPU|CUDA", field.set, FakeGpuArray(psi))
    refuses(kaon.InvalidArgument, "elsewhere", field.set, NoMemory())
    refuses(kaon.InvalidArgument, "__dlpack__", field.set, NoCapsule())


def test_spinors(lattice, psi):
    field = kaon.SpinorField(lattice, right_hand_sides=2)
    refuses(kaon.InvalidArgument, "shape", field.set, psi)
    refuses(kaon.InvalidArgument, "shape", kaon.SpinorField.from_array, lattice, psi[..., :2].copy())
    refuses(kaon.InvalidArgument, "shape", kaon.SpinorField.from_array, lattice, np.array(1 + 0j))
    refuses(kaon.InvalidArgument, "spins", kaon.SpinorField.from_array, lattice, psi, spins=2)
    refuses(kaon.InvalidArgument, "out of range", kaon.SpinorField, lattice, 2**40)
    refuses(kaon.InvalidArgument, "wrong type", kaon.SpinorField, lattice, "two")
    refuses(kaon.InvalidArgument, "not a GaugeField", field.smear, field, 1.0, 1)
    refuses(kaon.InvalidArgument, "smearing to 50 in 2 steps grows without bound", field.smear, kaon.GaugeField(lattice), 50.0, 2)


def test_operators(lattice, links, psi):
    refuses(kaon.InvalidArgument, "neither mass nor kappa", kaon.Wilson, links)
    refuses(kaon.InvalidArgument, "csw = nan is not a number", kaon.WilsonClover, links, mass=0.1, csw=float("nan"))
    refuses(kaon.InvalidArgument, "not a GaugeField", kaon.Wilson, lattice, mass=0.1)
    refuses(kaon.InvalidArgument, "four angles", kaon.Wilson, links, mass=0.1, boundary=(0, 0, 0))
    refuses(kaon.InvalidArgument, "four angles", kaon.Wilson, links, mass=0.1, boundary="wrap")
    refuses(kaon.InvalidArgument, "pair", kaon.Wilson, links, mass=0.1, anisotropy=2.0)
    refuses(kaon.InvalidArgument, "wrong type", kaon.Wilson, links, mass="light")
    dirac = kaon.Wilson(links, mass=0.3)
    refuses(kaon.InvalidArgument, "shape", dirac, psi[0])
    refuses(kaon.InvalidArgument, "shape", dirac, psi[..., 0, :].copy())
    refuses(kaon.InvalidArgument, "1 spins", dirac, kaon.SpinorField(lattice, spins=1))
    refuses(kaon.InvalidArgument, "shape", kaon.Staggered(links, mass=0.3), psi)
    refuses(kaon.InvalidArgument, "single", dirac, kaon.SpinorField(lattice, precision="single"))
    other = kaon.Lattice((4, 4, 4, 4))
    refuses(kaon.InvalidArgument, "lattice", dirac, kaon.SpinorField(other))
    refuses(kaon.InvalidArgument, "right-hand sides", dirac.residual, psi, np.stack([psi, psi]))
    term = kaon.WilsonClover(links, mass=0.3).clover()
    refuses(kaon.InvalidArgument, "term has the shape", kaon.WilsonClover.from_site_term, links, term[0])
    refuses(kaon.InvalidArgument, "term is a NoneType", kaon.WilsonClover.from_site_term, links, None)
    refuses(kaon.InvalidArgument, "inverse has the shape", kaon.WilsonClover.from_site_term, links, term, term[0])
    refuses(kaon.Unsupported, "Wilson-clover", kaon.TwistedMass(links, mu=0.1, mass=0.3).clover)


def test_improved_links(lattice, links):
    refuses(kaon.InvalidArgument, "not a GaugeField", kaon.ImprovedStaggered, links, lattice, mass=0.1)
    refuses(kaon.InvalidArgument, "wrong type", links.hisq_links, "small")
    refuses(kaon.InvalidArgument, "numbers are needed", links.hisq_links, [0.0, "small"])
    refuses(kaon.InvalidArgument, "not an integer", links.fold_phases, True, "three")
    refuses(kaon.Unsupported, "double", kaon.GaugeField(lattice, "single", "cold").hisq_links)


def test_gauge_fixing(lattice, links):
    refuses(kaon.InvalidArgument, "none of landau, coulomb", links.gauge_fixed, "axial")


def test_smearing(lattice, links):
    refuses(kaon.InvalidArgument, "none of stout, ape, hyp", links.smeared, "blur")
    refuses(kaon.InvalidArgument, "ape smearing has no coefficient rho: it has alpha", links.smeared, "ape", rho=0.1)
    refuses(kaon.InvalidArgument, "wrong type", links.smeared, "stout", rho="small")
    refuses(kaon.InvalidArgument, "hyp smearing has no coefficient anisotropy", links.smeared, "hyp", anisotropy=2.0)
    refuses(kaon.InvalidArgument, "none of wilson, symanzik", links.flow, action="iwasaki")


def test_solvers(lattice, smooth, psi):
    dirac = kaon.Wilson(smooth, mass=0.3)
    refuses(kaon.InvalidArgument, "operator", kaon.Solver, smooth)
    refuses(kaon.InvalidArgument, "method", kaon.Solver, dirac, method="lu")
    refuses(kaon.InvalidArgument, "pair", kaon.Solver, dirac, precision="double")
    refuses(kaon.InvalidArgument, "outer precision", kaon.Solver, dirac, precision=("half", "half"))
    refuses(kaon.InvalidArgument, "inner precision", kaon.Solver, dirac, precision=("single", "double"))
    refuses(kaon.InvalidArgument, "called", kaon.Solver, dirac, progress=3)
    refuses(kaon.FileError, "nowhere", kaon.Solver, dirac, method="multigrid", near_null_file="nowhere")
    solve = kaon.Solver(dirac)
    refuses(kaon.InvalidArgument, "shape", solve, psi[:, :1].copy())
    refuses(kaon.InvalidArgument, "guess", solve.solve, psi, np.stack([psi, psi]))
    refuses(kaon.InvalidArgument, "source", solve.propagator, (0, 0, 0, 0))
    refuses(kaon.InvalidArgument, "site", solve.propagator, kaon.PointSource((0, 0, 0, 8)))
    refuses(kaon.InvalidArgument, "four integers", solve.propagator, kaon.PointSource((0, 0)))
    refuses(kaon.Error, "multigrid", solve.save, "vectors")
    refuses(kaon.InvalidArgument, "path", solve.save, 3)


def test_eigenvectors(smooth, psi, tmp_path):
    dirac, chi = kaon.Wilson(smooth, mass=0.3), kaon.Staggered(smooth, mass=0.3)
    refuses(kaon.InvalidArgument, "operator", kaon.Eigenvectors, smooth)
    refuses(kaon.InvalidArgument, "wrong type", kaon.Eigenvectors, chi, "two")
    refuses(kaon.InvalidArgument, "basis", kaon.Eigenvectors, chi, 2, basis=0)
    refuses(kaon.InvalidArgument, "even_sites = 'all'", kaon.Eigenvectors, chi, 2, even_sites="all")
    for filter in (3, (0, 1.0), (2.5, 1.0), (2,), "ab", (3, "low"), (3, 1.0, "high")):
        refuses(kaon.InvalidArgument, "filter = ", kaon.Eigenvectors, chi, 2, filter=filter)
    refuses(kaon.InvalidArgument, "eigenvectors are needed", kaon.Solver, chi, eigenvectors=psi)
    found = kaon.Eigenvectors(chi, 1, tolerance=1e-6)
    with pytest.raises(IndexError):
        found[1]
    refuses(kaon.InvalidArgument, "bits = 16", found.save, "vectors", 16)
    refuses(kaon.InvalidArgument, "path", found.save, 3)
    refuses(kaon.FileError, "absent", found.save, tmp_path / "absent" / "vectors")
    found.save(tmp_path / "vectors")
    refuses(kaon.InvalidArgument, "operator", kaon.Eigenvectors.load, smooth, tmp_path / "vectors")
    refuses(kaon.InvalidArgument, "path", kaon.Eigenvectors.load, chi, 3)
    refuses(kaon.FileError, "absent", kaon.Eigenvectors.load, chi, tmp_path / "absent")
    found.free()
    refuses(kaon.InvalidArgument, "freed", kaon.Solver, chi, eigenvectors=found)


def test_multi_solvers(lattice, smooth, psi):
    dirac, chi = kaon.Wilson(smooth, mass=0.3), kaon.Staggered(smooth, mass=0.3)
    refuses(kaon.InvalidArgument, "operator", kaon.MultiMassSolver, smooth, [0.1])
    refuses(kaon.InvalidArgument, "numbers", kaon.MultiMassSolver, chi, "ab")
    refuses(kaon.InvalidArgument, "numbers", kaon.MultiMassSolver, chi, 0.1)
    refuses(kaon.Unsupported, "staggered", kaon.MultiMassSolver, dirac, [0.1])
    refuses(kaon.InvalidArgument, "eigenvectors are needed", kaon.MultiMassSolver, chi, [0.1], eigenvectors=psi)
    refuses(kaon.FileError, "nowhere", kaon.MultiMassSolver, chi, [0.1], method="multigrid", near_null_file="nowhere")
    refuses(kaon.InvalidArgument, "inner precision", kaon.MultiShiftSolver, dirac, [1], inner="quarter")
    refuses(kaon.InvalidArgument, "called", kaon.MultiShiftSolver, dirac, [1], progress=3)
    refuses(kaon.InvalidArgument, "form = 'full' is none of symmetric", kaon.MultiShiftSolver, dirac, [1], schur="full")
    refuses(kaon.InvalidArgument, "parity = 0", kaon.MultiShiftSolver, dirac, [1], schur="symmetric", parity=0)
    refuses(kaon.InvalidArgument, "kind = 'square'", dirac.schur, psi, kind="square")
    refuses(kaon.InvalidArgument, "shape", dirac.schur, psi[0])
    refuses(kaon.InvalidArgument, "shape", kaon.MultiShiftSolver(dirac, [1]), psi[0])
    refuses(kaon.InvalidArgument, "source", kaon.MultiMassSolver(chi, [0.1]).propagators, 3)
    solve = kaon.MultiShiftSolver(dirac, [1])
    solve.free()
    refuses(kaon.InvalidArgument, "freed", solve, psi)


def test_masses(smooth):
    for operator, more in ((kaon.Wilson, {}), (kaon.WilsonClover, {"csw": 1.0}), (kaon.ExponentialClover, {"csw": 1.0}),
                           (kaon.TwistedMass, {"mu": 0.1}), (kaon.TwistedMass, {"mu": 0.1, "csw": 1.0}),
                           (kaon.TwistedDoublet, {"mu": 0.1, "epsilon": 0.2})):
        refuses(kaon.InvalidArgument, "mass -5 has no kappa: it must be above -4", operator, smooth, mass=-5, **more)
        refuses(kaon.InvalidArgument, "mass 1e\\+80 is too large", operator, smooth, mass=1e80, **more)
        refuses(kaon.InvalidArgument, "mass 5e\\+79 is too large", operator, smooth, kappa=1e-80, **more)
        refuses(kaon.InvalidArgument, "kappa must be positive", operator, smooth, kappa=-0.1, **more)
    refuses(kaon.InvalidArgument, "mass 1e\\+80 is too large", kaon.Staggered, smooth, mass=1e80)
    refuses(kaon.InvalidArgument, "m5 1e\\+80 is too large", kaon.DomainWall, smooth, mass=0.1, m5=1e80)
    refuses(kaon.InvalidArgument, "csw -1e\\+80 is too large", kaon.WilsonClover, smooth, mass=0.1, csw=-1e80)
    refuses(kaon.InvalidArgument, "mass -5 has no kappa", kaon.HMC, smooth, [kaon.TwoFlavors(mass=-5), kaon.GaugeAction(beta=5.6)])


def test_updates(lattice, smooth):
    solve = kaon.Solver(kaon.Wilson(smooth, mass=0.3))
    refuses(kaon.InvalidArgument, "operator", solve.update, smooth)


def test_contractions(lattice, smooth, psi):
    s = kaon.Solver(kaon.Wilson(smooth, mass=0.5), tolerance=1e-6).propagator(kaon.PointSource())
    chi = kaon.Solver(kaon.Staggered(smooth, mass=0.5), tolerance=1e-6).propagator(kaon.PointSource())
    elsewhere = kaon.Propagator(lattice, source_site=(0, 0, 0, 1))
    refuses(kaon.InvalidArgument, "propagator", kaon.meson, s, psi)
    refuses(kaon.InvalidArgument, "sources", kaon.meson, s, elsewhere)
    refuses(kaon.InvalidArgument, "spins", kaon.meson, chi, chi)
    refuses(kaon.InvalidArgument, "spins", kaon.staggered_meson, s)
    refuses(kaon.InvalidArgument, "channel", kaon.staggered_meson, chi, "rho")
    refuses(kaon.InvalidArgument, "shape", kaon.meson, s, s, np.eye(3))
    refuses(kaon.InvalidArgument, "momenta", kaon.meson, s, s, momenta=[0.5])
    refuses(kaon.InvalidArgument, "momenta", kaon.meson, s, s, momenta=[(0.5, 0, 0)])
    refuses(kaon.InvalidArgument, r"momentum \(3, 0, 1\) is the same as \(-1, 0, 1\) on 4x6x2", kaon.meson, s, s, momenta=[(3, 0, 1)])
    refuses(kaon.InvalidArgument, "direction", s.pion, 4)


def test_files(links, tmp_path):
    refuses(kaon.FileError, "nothing", kaon.GaugeField.read, tmp_path / "nothing")
    refuses(OSError, "nothing", kaon.GaugeField.read, tmp_path / "nothing")
    refuses(kaon.InvalidArgument, "path", kaon.GaugeField.read, None)
    refuses(kaon.InvalidArgument, "null character", kaon.GaugeField.read, "a\0b")
    refuses(kaon.FileError, "absent", links.write, tmp_path / "absent" / "file")
    refuses(kaon.InvalidArgument, "format", links.write, tmp_path / "file", "hdf5")
    refuses(kaon.InvalidArgument, "bits", links.write, tmp_path / "file", bits=16)
    (tmp_path / "text").write_text("not a gauge field")
    refuses(kaon.FileError, "text", kaon.GaugeField.read, tmp_path / "text")


def test_freed_objects(psi):
    lattice = kaon.Lattice((4, 6, 2, 8))
    links = kaon.GaugeField(lattice, start="cold")
    dirac = kaon.Wilson(links, mass=0.3)
    solve = kaon.Solver(dirac)
    field = kaon.SpinorField.from_array(lattice, psi)
    lattice.free()
    links.free()
    freed = "freed"
    refuses(kaon.InvalidArgument, freed, links.plaquette)
    refuses(kaon.InvalidArgument, freed, links.to_numpy)
    refuses(kaon.InvalidArgument, freed, kaon.Wilson, links, mass=0.3)
    refuses(kaon.InvalidArgument, freed, kaon.SpinorField, lattice)
    refuses(kaon.InvalidArgument, freed, solve, field)
    field.free()
    field.free()
    refuses(kaon.InvalidArgument, freed, field.norm2)
    refuses(kaon.InvalidArgument, freed, dirac, field)
    dirac.free()
    refuses(kaon.InvalidArgument, freed, dirac, psi)
    solve.free()
    refuses(kaon.InvalidArgument, freed, solve.save, "file")


def test_objects_live_as_long_as_they_are_needed(psi):
    """Names go in any order; the garbage collector frees handles, and handles retain what they share."""
    solve = kaon.Solver(kaon.Wilson(kaon.GaugeField(kaon.Lattice((4, 6, 2, 8)), start="cold"), mass=0.3))
    gc.collect()
    x = solve(psi)
    del solve
    gc.collect()
    assert np.isfinite(x.norm2()[0])


def test_callbacks_of_the_log():
    refuses(kaon.InvalidArgument, "called", kaon.set_log, "file")
