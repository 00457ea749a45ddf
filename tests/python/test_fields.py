# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Lattices, links and spinors: arrays in and out, files, sources."""
import math
import os
import sys
import xml.etree.ElementTree

import numpy as np
import pytest

import kaon
import reference
from refusals import refuses


class OnlyDlpack:
    """An array that has nothing but __dlpack__."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments)


def test_lattice(lattice):
    assert lattice.extents == lattice.local_extents == (4, 6, 2, 8)
    assert lattice.origin == (0, 0, 0, 0) and lattice.rank == 0 and lattice.processes == 1
    assert lattice.site_shape() == (8, 2, 6, 4) and lattice.site_shape("even-odd") == (2, 8, 2, 6, 2)
    x, y, z, t = lattice.coordinates()
    assert (x + 10 * y + 100 * z + 1000 * t)[5, 1, 3, 2] == 5132
    assert lattice.sum([1.0, 2.0]).tolist() == [1.0, 2.0]
    assert lattice.sum(1 + 2j) == 1 + 2j


@pytest.mark.parametrize("element", [np.complex128, np.complex64])
def test_links_through_arrays_in_every_order(lattice, links, element):
    u = links.to_numpy()
    assert u.shape == (8, 2, 6, 4, 4, 3, 3)
    forms = {("lexicographic", False): u, ("even-odd", False): reference.even_odd(u)}
    for order in ("lexicographic", "even-odd"):
        forms[order, True] = np.ascontiguousarray(np.moveaxis(forms[order, False], -3, 0))
    for (order, first), values in forms.items():
        values = values.astype(element)
        out = np.empty_like(values)
        links.get(out, order, first)
        assert np.array_equal(out, values)
        for given in (values, OnlyDlpack(values)):
            again = kaon.GaugeField.from_array(lattice, given, order, directions_first=first)
            assert again.precision == ("double" if element == np.complex128 else "single")
            assert np.array_equal(again.to_numpy(), u.astype(element))


def test_fields_are_exported_by_dlpack(lattice, smooth, random):
    assert np.array_equal(np.from_dlpack(smooth), smooth.to_numpy())
    single = kaon.GaugeField(lattice, "single", "hot", seed=3)
    exported = np.from_dlpack(single)
    assert exported.dtype == np.complex64 and np.array_equal(exported, single.to_numpy())
    field = kaon.SpinorField.from_array(lattice, random.normal(size=(2,) + lattice.site_shape() + (4, 3)) + 0j)
    assert np.array_equal(np.from_dlpack(field), field.to_numpy())
    assert np.array_equal(field.to_numpy(), kaon.SpinorField.from_array(lattice, field).to_numpy())
    assert field.__dlpack_device__() == (1, 0)
    propagator = kaon.Solver(kaon.Wilson(smooth, mass=2.0), tolerance=1e-6).propagator(kaon.PointSource())
    values = np.from_dlpack(propagator)
    del propagator  # the array is its own
    assert values.shape == lattice.site_shape() + (4, 3, 4, 3) and np.isfinite(values).all() and values.any()
    field.__dlpack__(max_version=(1, 0), dl_device=(1, 0), copy=True)
    for wrong in ({"stream": 1}, {"dl_device": (2, 0)}, {"copy": False}):
        refuses(BufferError, "host|copied", field.__dlpack__, **wrong)


@pytest.mark.parametrize("lead", [(), (3,)])
@pytest.mark.parametrize("inner", [(4, 3), (3,)])
def test_spinors_through_arrays_in_every_order(lattice, random, lead, inner):
    shape = lead + lattice.site_shape() + inner
    psi = random.normal(size=shape) + 1j * random.normal(size=shape)
    field = kaon.SpinorField.from_array(lattice, psi)
    assert (field.right_hand_sides, field.spins) == (lead[0] if lead else 1, 1 if inner == (3,) else 4)
    assert np.array_equal(field.to_numpy(), psi)
    ordered = np.stack([reference.even_odd(p) for p in psi]) if lead else reference.even_odd(psi)
    assert np.array_equal(field.to_numpy("even-odd"), ordered)
    assert np.array_equal(kaon.SpinorField.from_array(lattice, OnlyDlpack(ordered), "even-odd").to_numpy(), psi)
    assert field.norm2().sum() == pytest.approx(np.sum(np.abs(psi) ** 2), rel=1e-14)


@pytest.mark.parametrize("inner", [(4, 3), (3,)])
def test_propagators_through_arrays_are_matrices(lattice, random, inner, monkeypatch):
    shape = lattice.site_shape() + inner + inner
    matrices = random.normal(size=shape) + 1j * random.normal(size=shape)
    propagator = kaon.Propagator.from_array(lattice, matrices, source_site=(1, 2, 0, 3))
    assert (propagator.spins, propagator.source_site) == (1 if inner == (3,) else 4, (1, 2, 0, 3))
    assert np.array_equal(propagator.to_numpy(), matrices)
    ordered = propagator.to_numpy("even-odd")
    again = kaon.Propagator.from_array(lattice, ordered.astype(np.complex64), "even-odd")
    assert again.precision == "single" and np.array_equal(again.to_numpy(), matrices.astype(np.complex64))
    monkeypatch.setitem(sys.modules, "cupy", np)  # arrays of cupy look alike
    assert np.array_equal(propagator.to_cupy(), matrices)
    assert np.array_equal(propagator.to_cupy("even-odd"), ordered)
    refuses(kaon.InvalidArgument, "propagator has the shape", kaon.Propagator.from_array, lattice, matrices[..., :1])
    refuses(kaon.InvalidArgument, "float64", kaon.Propagator.from_array, lattice, matrices.real)


def test_numbers_of_numpy_are_numbers(lattice):
    links = kaon.GaugeField(lattice, start="hot", seed=np.int64(3))
    assert np.array_equal(links.to_numpy(), kaon.GaugeField(lattice, start="hot", seed=3).to_numpy())
    links.heatbath(6.0, seed=np.uint8(2), update=np.int16(7))
    hmc = kaon.HMC(links, [kaon.GaugeAction(beta=5.5)], steps=np.int64(4))
    hmc.trajectory(np.uint32(5))
    assert hmc.next_trajectory == 6
    kaon.GaugeField(lattice, start="weak", width=np.float32(0.3))
    refuses(kaon.InvalidArgument, "right_hand_sides = 4294967298 is out of range", kaon.SpinorField, lattice, np.int64(2**32 + 2))


def test_shapes_with_two_meanings():
    """On 4^4, four staggered fields and one spinor have one shape."""
    lattice = kaon.Lattice((4, 4, 4, 4))
    values = np.arange(4**5 * 3).reshape(4, 4, 4, 4, 4, 3) + 0j
    for spins, right_hand_sides in ((None, 1), (4, 1), (1, 4)):
        field = kaon.SpinorField.from_array(lattice, values, spins=spins)
        assert (field.spins, field.right_hand_sides) == (spins or 4, right_hand_sides)
        assert np.array_equal(field.to_numpy(), values)
    links = kaon.GaugeField(lattice, start="hot")
    found = kaon.Staggered(links, mass=0.1)(values)
    assert np.array_equal(found.to_numpy()[2], kaon.Staggered(links, mass=0.1)(values[2]).to_numpy())


def test_polyakov_loop_equals_the_formula(links):
    for mu in range(4):
        assert abs(links.polyakov_loop(mu) - reference.polyakov_loop(links.to_numpy(), mu)) < 1e-15
    assert links.polyakov_loop() == links.polyakov_loop(3) != 0


def test_plaquette_equals_the_formula(links):
    assert links.plaquette() == pytest.approx(reference.plaquette(links.to_numpy()), abs=1e-14)


def test_starts(lattice):
    assert kaon.GaugeField(lattice, start="cold").plaquette().average == pytest.approx(1, abs=1e-15)
    hot = kaon.GaugeField(lattice, start="hot", seed=5).to_numpy()
    assert np.abs(hot @ reference.dagger(hot) - np.eye(3)).max() < 1e-14
    assert np.abs(np.linalg.det(hot) - 1).max() < 1e-14
    assert np.array_equal(hot, kaon.GaugeField(lattice, start="hot", seed=5).to_numpy())
    assert not np.array_equal(hot, kaon.GaugeField(lattice, start="hot", seed=6).to_numpy())


def test_heatbath_numbers_its_updates(lattice):
    first, second = (kaon.GaugeField(lattice, start="hot", seed=5) for _ in range(2))
    for _ in range(2):
        first.heatbath(5.7, overrelaxations=1, seed=3)
    for update in (1, 2):
        second.heatbath(5.7, overrelaxations=1, seed=3, update=update)
    assert np.array_equal(first.to_numpy(), second.to_numpy())
    assert first.plaquette().average > kaon.GaugeField(lattice, start="hot", seed=5).plaquette().average + 0.1


def test_energy_and_charge_equal_the_formula(links):
    found = links.clover_observables()
    spatial, temporal, charge = reference.energy_and_charge(links.to_numpy())
    assert found == pytest.approx((spatial + temporal, spatial, temporal, charge), abs=1e-12)


def test_smeared_links_and_flow(links, smooth):
    """To first order in small weights, all of them move links alike, those of an anisotropy as well."""
    u = smooth.to_numpy()
    small = smooth.smeared("stout", rho=1e-6).to_numpy() - u
    wide = smooth.smeared("stout", rho=1e-6, anisotropy=2.0).to_numpy() - u
    for moved, expected in ((smooth.smeared("ape", alpha=6e-6), small), (smooth.flow(step=1e-6), small),
                            (smooth.smeared("hyp", alpha_1=6e-6, alpha_2=0.0, alpha_3=0.0), small),
                            (smooth.flow(step=1e-6, anisotropy=2.0), wide)):
        assert np.abs(moved.to_numpy() - u - expected).max() < 1e-4 * np.abs(expected).max()
    assert np.abs(wide - small).max() > 0.1 * np.abs(small).max()
    for method in ("stout", "ape", "hyp"):
        assert smooth.smeared(method).plaquette().average > smooth.plaquette().average + 0.1
    assert np.array_equal(smooth.smeared("stout", omitted=3).to_numpy()[..., 3, :, :], u[..., 3, :, :])
    assert np.array_equal(smooth.smeared("stout", 2).to_numpy(), smooth.smeared("stout").smeared("stout").to_numpy())
    assert np.abs(smooth.smeared("stout", epsilon=-0.25).to_numpy() - smooth.smeared("stout").to_numpy()).max() > 0.01
    assert np.array_equal(links.flow(3, 0.05).to_numpy(), links.flow(2, 0.05).flow(1, 0.05).to_numpy())
    assert np.abs(links.flow(1, 0.05, "symanzik").to_numpy() - links.flow(1, 0.05).to_numpy()).max() > 0.01


def test_gauge_fixing(smooth):
    for condition, dimensions in (("landau", 4), ("coulomb", 3)):
        fixed = smooth.gauge_fixed(condition, tolerance=1e-12)
        u = fixed.links.to_numpy()
        trace = np.einsum("tzyxmaa->m", u).real[:dimensions].sum() / (3 * dimensions * np.prod(u.shape[:4]))
        assert fixed.functional == pytest.approx(trace, abs=1e-13) and fixed.theta <= 1e-12 and fixed.iterations % 10 == 0
        assert fixed.links.plaquette().average == pytest.approx(smooth.plaquette().average, abs=1e-13)
    with pytest.raises(kaon.NotConverged, match="after 10 iterations, above the tolerance") as caught:
        smooth.gauge_fixed(max_iterations=10)
    assert caught.value.solution.plaquette().average == pytest.approx(smooth.plaquette().average, abs=1e-13)


@pytest.mark.parametrize("format", ["ildg", "nersc", "scidac", "grid"])
def test_files(links, tmp_path, format):
    path = tmp_path / "links"
    links.write(path, format)
    again = kaon.GaugeField.read(path)
    assert again.lattice.extents == links.lattice.extents
    assert np.abs(again.to_numpy() - links.to_numpy()).max() < 1e-14
    links.write(path, format, bits=32)
    assert np.abs(kaon.GaugeField.read(os.fspath(path), precision="single").to_numpy() - links.to_numpy()).max() < 1e-6


@pytest.mark.parametrize("format", ["pyquda", "qdpxx"])
def test_files_in_hdf5(links, tmp_path, format):
    propagator = kaon.Solver(kaon.Wilson(links, mass=0.5)).propagator(kaon.PointSource((0, 1, 0, 2)))
    try:
        links.write(tmp_path / "links", format)
    except kaon.FileError as error:
        if "has no HDF5" in str(error):
            pytest.skip("this build has no HDF5")
        raise
    assert np.array_equal(kaon.GaugeField.read(tmp_path / "links").to_numpy(), links.to_numpy())
    propagator.write(tmp_path / "quark", format)
    assert np.array_equal(kaon.Propagator.read(tmp_path / "quark", links.lattice).to_numpy(), propagator.to_numpy())


def test_a_wrong_stated_plaquette_is_ignored_where_wanted(links, tmp_path):
    path = tmp_path / "links"
    links.write(path, "nersc")
    digits = path.read_bytes()
    at = digits.index(b"\nPLAQUETTE = ") + len(b"\nPLAQUETTE = ")
    path.write_bytes(digits[:at] + b"9" + digits[at + 1:])
    refuses(kaon.FileError, "wrong plaquette: the file states 9.*PLAQUETTE in its NERSC header", kaon.GaugeField.read, path)
    again = kaon.GaugeField.read(path, ignore_stated_plaquette=True)
    assert np.abs(again.to_numpy() - links.to_numpy()).max() < 1e-14


@pytest.mark.parametrize("make", [kaon.Wilson, kaon.Staggered])
def test_propagator_files(make, smooth, tmp_path):
    propagator = kaon.Solver(make(smooth, mass=0.5)).propagator(kaon.PointSource((1, 2, 0, 3)))
    propagator.write(tmp_path / "propagator")
    again = kaon.Propagator.read(tmp_path / "propagator", smooth.lattice, source_site=(1, 2, 0, 3))
    assert (again.right_hand_sides, again.spins, again.colors) == (3 * propagator.spins, propagator.spins, 3)
    assert np.array_equal(again.to_numpy(), propagator.to_numpy())
    assert np.array_equal(again.pion(), propagator.pion())


def test_propagator_files_of_five_colours(tmp_path):
    lattice = kaon.Lattice((4, 4, 4, 4))
    fields = kaon.SpinorField(lattice, 20, 4, colors=5)
    fields.set(np.random.default_rng(3).normal(size=fields.shape()) + 0j)
    kaon.Propagator.write(fields, tmp_path / "fields")
    again = kaon.Propagator.read(tmp_path / "fields", lattice)
    assert (again.right_hand_sides, again.spins, again.colors) == (20, 4, 5)
    assert np.array_equal(again.norm2(), fields.norm2())
    assert again.to_numpy().shape == (4, 4, 4, 4, 4, 5, 4, 5)


def test_wall_source_is_noise_on_a_slice(lattice):
    made = kaon.WallSource(t=3, seed=4).make(lattice, 4, "double").to_numpy()
    eta = made[0, 3, ..., 0, 0]
    assert np.allclose(np.abs(eta.real), np.sqrt(0.5)) and np.allclose(np.abs(eta.imag), np.sqrt(0.5))
    expected = np.zeros_like(made)
    for k in range(12):
        expected[k, 3, ..., k // 3, k % 3] = eta
    assert np.array_equal(made, expected)


def test_gather_on_one_process_is_the_local_array(smooth):
    assert np.array_equal(smooth.to_numpy(gather=True), smooth.to_numpy())


@pytest.mark.parametrize("format", ["scidac", "grid", "usqcd", "usqcd-scalar-source"])
def test_propagators_come_back_from_every_format(tmp_path, format):
    lattice = kaon.Lattice((4, 4, 4, 4))
    random = np.random.default_rng(5)
    numbers = random.normal(size=(4, 4, 4, 4, 4, 3, 4, 3)) + 1j * random.normal(size=(4, 4, 4, 4, 4, 3, 4, 3))
    propagator = kaon.Propagator.from_array(lattice, numbers)
    unit = np.zeros_like(numbers)
    unit[1, 2, 3, 0] = np.eye(12).reshape(4, 3, 4, 3)
    sources = kaon.Propagator.from_array(lattice, unit) if format.startswith("usqcd") else None
    file = tmp_path / "propagator"
    for projectors in (False, True):
        propagator.write(file, format=format, sources=sources, milc_projectors=projectors)
        read = kaon.Propagator.read(file, lattice, milc_projectors=projectors)
        assert np.array_equal(read.to_numpy(), numbers)
    g5 = np.diag([1.0, 1.0, -1.0, -1.0])
    other = kaon.Propagator.read(file, lattice).to_numpy()
    assert np.array_equal(other, np.einsum("ab,...bicj,cd->...aidj", g5, numbers, g5))
    if sources is None:
        refuses(kaon.Error, "sources were given", propagator.write, file, format=format, sources=propagator)
    else:
        refuses(kaon.Error, "none were given", propagator.write, file, format=format)


def test_eigenvectors_come_back_from_every_format(tmp_path):
    lattice = kaon.Lattice((4, 4, 4, 4), reach=3)
    dirac = kaon.Hisq(kaon.GaugeField(lattice, start="hot", seed=3), mass=0.1)
    found = kaon.Eigenvectors(dirac, 2, tolerance=1e-9)
    for format in ("scidac", "quda", "milc-packed"):
        found.save(tmp_path / "vectors", format=format)
        read = kaon.Eigenvectors.load(dirac, tmp_path / "vectors")
        assert np.allclose(read.values, found.values, rtol=1e-12)


def test_propagators_have_the_header_of_chroma(smooth, tmp_path):
    quark = kaon.WilsonClover(smooth, kappa=0.125, csw=1.5, boundary=(0, 0, 0, math.pi))
    source, name = kaon.GaussianSource(smooth, (1, 2, 0, 3), width=1.5, steps=5), "a < b & c"
    header = kaon.chroma_header(quark, source, tolerance=1e-9, gauge=name)
    root = xml.etree.ElementTree.fromstring(f"<Propagator>{header}</Propagator>")
    found = {tag: root.findtext(f".//{tag}") for tag in ("FermAct", "Mass", "clovCoeff", "boundary", "SourceType", "t_srce", "wvf_param",
                                                         "wvfIntPar", "RsdCG", "Config_info")}
    assert found == {"FermAct": "CLOVER", "Mass": "0", "clovCoeff": "1.5", "boundary": "1 1 1 -1", "SourceType": "SHELL_SOURCE",
                     "t_srce": "1 2 0 3", "wvf_param": "1.5", "wvfIntPar": "5", "RsdCG": "1e-09", "Config_info": name}
    for wall, kind in ((kaon.WallSource(t=2), "RAND_Z2_WALL_SOURCE"), (kaon.UniformWallSource(t=2), "WALL_SOURCE"),
                       (kaon.UniformWallSource(t=2, sites="even"), "KAON PART OF WALL"),
                       (kaon.UniformWallSource(t=2, sites="corners"), "KAON PART OF WALL")):
        assert f"<SourceType>{kind}</SourceType>\n<j_decay>3</j_decay>\n<t_source>2</t_source>" in kaon.chroma_header(quark, wall)

    propagator, file = kaon.Propagator(smooth.lattice), tmp_path / "propagator"
    propagator.write(file, chroma_header=header)
    assert f"{header}</Propagator>\n".encode() in file.read_bytes()
    assert np.array_equal(kaon.Propagator.read(file, smooth.lattice).to_numpy(), propagator.to_numpy())
    for format in ("scidac", "grid", "pyquda", "qdpxx"):
        propagator.write(file, format=format, info="point source at 1 2 0 3")
        assert b"point source at 1 2 0 3" in file.read_bytes()
        assert np.array_equal(kaon.Propagator.read(file, smooth.lattice).to_numpy(), propagator.to_numpy())
    with pytest.raises(kaon.FileError, match="chroma_header is for propagators of 4 spins in the format scidac"):
        propagator.write(file, format="grid", chroma_header=header)
    refuses(kaon.FileError, "scidac-record-xml", propagator.write, tmp_path / "other", chroma_header="<ForwardProp>")
    assert not (tmp_path / "other").exists()
    refuses(kaon.InvalidArgument, "quarks of the action staggered have 1", kaon.chroma_header, kaon.Staggered(smooth, mass=0.5), source)
