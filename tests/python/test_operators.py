# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Operators against numpy, and solves by their residuals. C++ proves the numbers of both in full."""
import numpy as np
import pytest

import kaon
import reference
from refusals import refuses

FAMILIES = {
    "wilson": (lambda u: kaon.Wilson(u, mass=0.3), dict(mass=0.3)),
    "kappa": (lambda u: kaon.Wilson(u, kappa=0.12), dict(mass=1 / 0.24 - 4)),
    "angles": (lambda u: kaon.Wilson(u, mass=0.3, boundary=(0.1, 0.2, 0.3, 0.4)),
               dict(mass=0.3, boundary=(0.1, 0.2, 0.3, 0.4))),
    "anisotropic": (lambda u: kaon.WilsonClover(u, mass=0.3, csw=0.9, csw_temporal=1.1, anisotropy=(2.4, 0.95)),
                    dict(mass=0.3, csw=0.9, csw_temporal=1.1, xi0=2.4, nu=0.95)),
    "clover": (lambda u: kaon.WilsonClover(u, mass=0.3, csw=1.2), dict(mass=0.3, csw=1.2)),
    "twisted": (lambda u: kaon.TwistedMass(u, mass=0.3, mu=0.4), dict(mass=0.3, mu=0.4)),
    "twisted-clover": (lambda u: kaon.TwistedMass(u, mass=0.3, mu=0.4, csw=1.2), dict(mass=0.3, mu=0.4, csw=1.2)),
}


def complex_normal(random, shape):
    return random.normal(size=shape) + 1j * random.normal(size=shape)


@pytest.mark.parametrize("family", FAMILIES)
def test_wilson_like_operators_equal_the_formula(family, links, random):
    make, physics = FAMILIES[family]
    dirac = make(links)
    psi = complex_normal(random, links.lattice.site_shape() + (4, 3))
    expected = reference.wilson(links.to_numpy(), psi, **physics)
    assert reference.norm(dirac(psi).to_numpy() - expected) < 1e-14 * reference.norm(expected)


def test_forms_of_an_operator(links, random):
    """M^dag, M^dag M, and Schur complements of M = a - K: those of both forms differ by the factor a."""
    dirac = kaon.TwistedMass(links, mass=0.3, mu=0.4, csw=1.2)
    b, c = (complex_normal(random, links.lattice.site_shape() + (4, 3)) for _ in range(2))
    left, right = np.vdot(c, dirac(b).to_numpy()), np.vdot(dirac.dagger(c).to_numpy(), b)
    assert abs(left - right) < 1e-13 * reference.norm(b) * reference.norm(c)
    expected = dirac.dagger(dirac(b)).to_numpy()
    assert reference.norm(dirac.normal(b).to_numpy() - expected) < 1e-14 * reference.norm(expected)
    dirac, odd = kaon.Wilson(links, mass=0.3), np.indices(b.shape[:4]).sum(axis=0)[..., None, None] % 2
    for parity, sites in (("even", 1 - odd), ("odd", odd)):
        image = dirac.schur(b, parity=parity)
        twice = dirac(dirac(b * sites).to_numpy() * (1 - sites)).to_numpy() * sites  # K K b
        assert reference.norm(4.3**2 * (b * sites - image.to_numpy()) - twice) < 1e-13 * reference.norm(twice)
        assert np.array_equal(image.to_numpy(), image.to_numpy() * sites)
        other = dirac.schur(b, "asymmetric", parity).to_numpy()
        assert reference.norm(other - 4.3 * image.to_numpy()) < 1e-14 * reference.norm(other)
        adjoint = dirac.schur(image, parity=parity, kind="dagger").to_numpy()
        assert reference.norm(dirac.schur(b, parity=parity, kind="normal").to_numpy() - adjoint) < 1e-14 * reference.norm(adjoint)


def test_staggered_operator_equals_the_formula(links, random):
    chi = complex_normal(random, links.lattice.site_shape() + (3,))
    for boundary in (reference.ANTIPERIODIC, (0.1, 0.2, 0.3, 0.4)):
        expected = reference.staggered(links.to_numpy(), chi, 0.2, boundary)
        found = kaon.Staggered(links, mass=0.2, boundary=boundary)(chi).to_numpy()
        assert reference.norm(found - expected) < 1e-14 * reference.norm(expected)


def test_links_of_improved_operators_make_them_again(random):
    """Fat and long links through arrays, with MILC's phases in between, and the operator made of them."""
    lattice = kaon.Lattice((4, 4, 4, 8), reach=3)
    links = kaon.GaugeField(lattice, start="weak", seed=3, width=0.3)
    chi = complex_normal(random, lattice.site_shape() + (3,))
    for smeared, dirac in ((links.hisq_links(-0.3), kaon.Hisq(links, mass=0.2, naik_epsilon=-0.3)),
                           (links.asqtad_links(0.9), kaon.Asqtad(links, mass=0.2, u0=0.9))):
        long = smeared.long.to_numpy()
        smeared.long.fold_phases(steps=3)
        of_milc = smeared.long.to_numpy()
        t, z, y, x = np.ogrid[:8, :4, :4, :4]
        eta = np.stack(np.broadcast_arrays((-1) ** t, (-1) ** (t + x), (-1) ** (t + x + y), np.where(t >= 5, -1, 1)), -1)
        assert np.array_equal(of_milc, long * eta[..., None, None])
        again = kaon.GaugeField.from_array(lattice, of_milc)
        again.fold_phases(steps=3)
        found = kaon.ImprovedStaggered(smeared.fat, again, mass=0.2)(chi).to_numpy()
        expected = dirac(chi).to_numpy()
        assert reference.norm(found - expected) < 1e-14 * reference.norm(expected)


def test_improved_operators_copy_links_to_a_lattice_of_their_reach(random):
    """Fields and links of the lattice that was given serve them, and solutions are those on a lattice with reach 3."""
    narrow, wide = kaon.Lattice((4, 4, 4, 8)), kaon.Lattice((4, 4, 4, 8), reach=3)
    of_narrow, of_wide = (kaon.GaugeField(lattice, start="weak", seed=3, width=0.3) for lattice in (narrow, wide))
    for make in (lambda U: kaon.Hisq(U, mass=0.2), lambda U: kaon.Asqtad(U, mass=0.2, u0=0.9),
                 lambda U: kaon.ImprovedStaggered(*U.hisq_links(), mass=0.2)):
        dirac, expected = make(of_narrow), make(of_wide)
        chi = kaon.SpinorField.from_array(narrow, complex_normal(random, narrow.site_shape() + (3,)))
        assert np.allclose(dirac(chi).to_numpy(), expected(chi.to_numpy()).to_numpy(), rtol=0, atol=1e-13)
        solve = kaon.Solver(dirac, tolerance=1e-11)
        assert (dirac.residual(solve(chi, guess=chi), chi) < 1.1e-11).all()
        solve.update(make(of_narrow))
        source = kaon.GaussianSource(of_narrow, (1, 0, 2, 3), width=1.5, steps=4)
        again = kaon.Solver(expected, tolerance=1e-11).propagator(kaon.GaussianSource(of_wide, (1, 0, 2, 3), width=1.5, steps=4))
        assert np.allclose(solve.propagator(source).pion(), again.pion(), rtol=1e-9)
    assert dirac.lattice is not narrow and "reach 3" in repr(dirac.lattice)


def test_links_of_several_naik_epsilons_are_those_of_each():
    links = kaon.GaugeField(kaon.Lattice((4, 4, 4, 8), reach=3), start="weak", seed=3, width=0.3)
    epsilons = [0.0, -0.3, 0.2]
    for epsilon, found in zip(epsilons, links.hisq_links(epsilons), strict=True):
        expected = links.hisq_links(epsilon)
        assert np.abs(found.fat.to_numpy() - expected.fat.to_numpy()).max() < 1e-14
        assert np.array_equal(found.long.to_numpy(), expected.long.to_numpy())
        found.fat.free()


@pytest.mark.parametrize("options", [{"inner": "half"}, {"inner": "single"}, {"inner": "double"}, {"eigenvectors": 4},
                                     {"method": "multigrid", "seed": 2}, {"method": "cg"}])
def test_several_masses(options, smooth, random):
    dirac = kaon.Staggered(smooth, mass=0.5)
    if "eigenvectors" in options:
        options = {"eigenvectors": kaon.Eigenvectors(dirac, options["eigenvectors"])}
    b = complex_normal(random, (2,) + smooth.lattice.site_shape() + (3,))
    solve = kaon.MultiMassSolver(dirac, [0.3, 0.05], tolerance=1e-11, **options)
    for mass, x, reports in zip(solve.masses, solve(b), solve.report, strict=True):
        assert (kaon.Staggered(smooth, mass=mass).residual(x, b) < 1.1e-11).all()
        assert all(report.converged and report.iterations > 0 for report in reports)


@pytest.mark.parametrize("form, parity, deflated", [(None, "even", False), (None, "even", True), ("symmetric", "even", True),
                                                    ("symmetric", "odd", False), ("asymmetric", "even", False)])
def test_several_shifts(form, parity, deflated, smooth, random):
    dirac = kaon.Wilson(smooth, mass=0.1)
    b = complex_normal(random, smooth.lattice.site_shape() + (4, 3))
    found = kaon.Eigenvectors(dirac, 4, even_sites=form is not None) if deflated else None
    solve = kaon.MultiShiftSolver(dirac, [0.5, 0.0], tolerance=1e-11, eigenvectors=found, schur=form, parity=parity)
    if form is not None:
        b *= (np.indices(b.shape[:4]).sum(axis=0) % 2 == (parity == "odd"))[..., None, None]
    for shift, x in zip(solve.shifts, solve(b), strict=True):
        product = dirac.normal(x) if form is None else dirac.schur(x, form, parity, "normal")
        assert reference.norm(product.to_numpy() + shift * x.to_numpy() - b) < 1.1e-11 * reference.norm(b)


def test_propagators_of_several_masses(smooth):
    source = kaon.PointSource((1, 0, 0, 2))
    dirac = kaon.Staggered(smooth, mass=0.3)
    light, heavy = kaon.MultiMassSolver(dirac, [0.3, 0.6]).propagators(source)
    expected = kaon.Solver(dirac).propagator(source)
    assert reference.norm(light.to_numpy() - expected.to_numpy()) < 1e-8
    assert heavy.source_site == (1, 0, 0, 2) and heavy.pion()[3] < light.pion()[3]


def test_several_masses_that_do_not_converge_have_reports(smooth, random):
    b = complex_normal(random, smooth.lattice.site_shape() + (3,))
    solve = kaon.MultiMassSolver(kaon.Staggered(smooth, mass=0.5), [0.3, 0.1], max_iterations=2, inner="double")
    with pytest.raises(kaon.NotConverged, match="mass 0.3 missed") as caught:
        solve(b)
    assert len(caught.value.solution) == len(caught.value.reports) == 2


def test_eigenvectors(smooth):
    found = kaon.Eigenvectors(kaon.WilsonClover(smooth, mass=0.3, csw=1.2), 3, tolerance=1e-10, filter=(8, 2.0))
    assert found.converged and not found.even_sites and len(found) == 3 and np.all(np.diff(found.values) >= 0)
    for value, residual, v in zip(found.values, found.residuals, found, strict=True):
        missing = reference.norm(found.operator.normal(v).to_numpy() - value * v.to_numpy())
        assert missing < 2e-8 and abs(missing - residual) < 1e-12
        assert abs(reference.norm(v.to_numpy()) - 1) < 1e-12


def test_eigenvectors_deflate_solvers_and_are_kept_in_files(links, random, tmp_path):
    file = tmp_path / "vectors.lime"
    found = kaon.Eigenvectors(kaon.Staggered(links, mass=0.5), 6)
    assert found.even_sites and np.all(found[-1].to_numpy()[0, 0, 0, 1] == 0)
    light = kaon.Staggered(links, mass=0.02)
    for bits, precision in ((64, 1e-12), (32, 1e-6)):
        found.save(file, bits)
        same, other = kaon.Eigenvectors.load(found.operator, file), kaon.Eigenvectors.load(light, file)
        assert len(same) == 6 and same.even_sites and same.converged
        assert np.allclose(same.values, found.values, rtol=0, atol=1e-10)
        assert np.allclose(other.values, found.values - 4 * (0.5**2 - 0.02**2), rtol=0, atol=1e-10)
        assert reference.norm(same[3].to_numpy() - found[3].to_numpy()) < precision
    b = complex_normal(random, links.lattice.site_shape() + (3,))
    plain, deflated = kaon.Solver(light), kaon.Solver(light, eigenvectors=other)
    plain(b)
    assert light.residual(deflated(b), b)[0] < 1.1e-10
    assert deflated.report[0].iterations < plain.report[0].iterations


def test_eigenvectors_that_miss_the_tolerance_are_there(smooth):
    with pytest.raises(kaon.NotConverged, match="miss the tolerance") as caught:
        kaon.Eigenvectors(kaon.Wilson(smooth, mass=0.3), 2, basis=6, max_restarts=0)
    assert len(caught.value.solution) == 2 and not caught.value.solution.converged


@pytest.mark.parametrize("method", ["auto", "bicgstab", "gcr-dd", "cgnr", "cgne", "block-cg"])
@pytest.mark.parametrize("precision", [("double", "half"), ("double", "double"), ("single", "half")])
def test_solves_and_updates(method, precision, smooth, random):
    b = complex_normal(random, (2,) + smooth.lattice.site_shape() + (4, 3))
    tolerance = 1e-5 if precision[0] == "single" else 1e-11
    solve = kaon.Solver(kaon.Wilson(smooth, mass=0.3), tolerance=tolerance, method=method, precision=precision)
    for dirac in (solve.operator, kaon.Wilson(smooth, mass=0.5)):
        solve.update(dirac)
        x = solve(b)
        residual = dirac.residual(x, b)
        assert (residual < tolerance).all() and all(report.converged and report.error > 0 for report in solve.report)
        assert residual == pytest.approx([report.residual for report in solve.report], rel=1e-2)
    rounded = x.to_numpy().astype(np.complex64)
    assert np.array_equal(x.to_numpy(), rounded) == (precision[0] == "single")


def test_links_in_single_precision(smooth, psi):
    links = kaon.GaugeField.from_array(smooth.lattice, smooth.to_numpy().astype(np.complex64))
    assert links.precision == "single"
    found = kaon.Wilson(links, mass=0.3)(psi.astype(np.complex64)).to_numpy()
    assert found.dtype == np.complex64
    expected = reference.wilson(smooth.to_numpy(), psi, 0.3)
    assert reference.norm(found - expected) < 1e-6 * reference.norm(expected)


def test_guess_progress_and_history(smooth, random):
    dirac = kaon.Wilson(smooth, mass=0.3)
    b = complex_normal(random, smooth.lattice.site_shape() + (4, 3))
    told = []
    solve = kaon.Solver(dirac, tolerance=1e-8, progress=lambda iteration, r: told.append((iteration, r[0])),
                        keep_history=True)
    x = solve(b)
    assert [iteration for iteration, _ in told] == list(range(1, solve.report[0].iterations + 1))
    assert [r[0] for r in solve.history] == [r for _, r in told]
    assert told[-1][1] < 1e-8 < told[0][1]
    solve.solve(b, guess=x)
    assert solve.report[0].iterations == 0 and solve.history == []


def test_errors_of_a_progress_callback_end_the_solve(smooth, random, capsys):
    calls = []

    def fail(iteration, residuals):
        calls.append(iteration)
        if len(calls) == 2:
            raise RuntimeError("from the callback")

    dirac = kaon.Wilson(smooth, mass=0.3)
    b = complex_normal(random, smooth.lattice.site_shape() + (4, 3))
    for solve in (kaon.Solver(dirac, progress=fail), kaon.MultiShiftSolver(dirac, [0.1, 0.2], progress=fail)):
        calls.clear()
        refuses(RuntimeError, "from the callback", solve, b)
        assert calls == [1, 2]
        solve(b)
        assert len(calls) > 3
    assert "from the callback" not in capsys.readouterr().err


def test_stopped_has_reports_and_the_best_solution(smooth, random):
    dirac = kaon.Wilson(smooth, mass=0.3)
    b = complex_normal(random, smooth.lattice.site_shape() + (4, 3))
    solve = kaon.Solver(dirac, progress=lambda iteration, r: iteration < 3)
    with pytest.raises(kaon.Stopped, match="was stopped after 3 iterations") as caught:
        solve(b)
    (report,) = caught.value.reports
    assert solve.report == (report,) and not report.converged and report.iterations == 3
    assert dirac.residual(caught.value.solution, b)[0] == pytest.approx(report.residual, rel=1e-3)
    shifted = kaon.MultiShiftSolver(dirac, [0.1, 0.2], progress=lambda iteration, r: iteration < 3)
    with pytest.raises(kaon.Stopped, match="was stopped by on_iteration") as caught:
        shifted(b)
    assert len(caught.value.reports) == len(caught.value.solution) == 2


def test_not_converged_has_reports_and_the_solution(smooth, random):
    dirac = kaon.Wilson(smooth, mass=0.3)
    b = complex_normal(random, smooth.lattice.site_shape() + (4, 3))
    with pytest.raises(kaon.NotConverged, match="2 iterations") as caught:
        kaon.Solver(dirac, max_iterations=2)(b)
    (report,) = caught.value.reports
    assert not report.converged and report.iterations == 2
    assert dirac.residual(caught.value.solution, b)[0] == pytest.approx(report.residual, rel=1e-6)


def test_heavy_quark_residual_equals_its_formula(links, random):
    dirac = kaon.Wilson(links, mass=0.3)
    x, b = (complex_normal(random, links.lattice.site_shape() + (4, 3)) for _ in range(2))
    r = b - dirac(x).to_numpy()
    sites = np.sum(np.abs(r) ** 2, axis=(-1, -2)) / np.sum(np.abs(x) ** 2, axis=(-1, -2))
    assert dirac.heavy_quark_residual(x, b)[0] == pytest.approx(np.sqrt(sites.mean()), rel=1e-12)


def test_site_term_of_clover_and_back(links, random):
    dirac = kaon.WilsonClover(links, mass=0.3, csw=1.2)
    term, inverse = dirac.clover(), dirac.clover(inverse=True)
    assert np.abs(term @ inverse - np.eye(6)).max() < 1e-13
    psi = complex_normal(random, links.lattice.site_shape() + (4, 3))
    expected = 4.3 * psi + reference.clover(links.to_numpy(), psi, 1.2)
    found = np.einsum("...hij,...hj->...hi", term, psi.reshape(psi.shape[:4] + (2, 6))).reshape(psi.shape)
    assert reference.norm(found - expected) < 1e-14 * reference.norm(expected)
    for given in ((term,), (term, inverse)):
        again = kaon.WilsonClover.from_site_term(links, *given)
        assert np.abs(again(psi).to_numpy() - dirac(psi).to_numpy()).max() < 1e-13
    ordered = kaon.WilsonClover.from_site_term(links, reference.even_odd(term), order="even-odd")
    assert np.abs(ordered(psi).to_numpy() - dirac(psi).to_numpy()).max() < 1e-13


def test_exponential_clover_is_the_exponential_of_the_clover_term(links):
    d = 4.3
    values, vectors = np.linalg.eigh(kaon.WilsonClover(links, mass=0.3, csw=1.9).clover() / d - np.eye(6))
    dirac = kaon.ExponentialClover(links, mass=0.3, csw=1.9)
    for inverse in (False, True):
        spectrum = np.exp(-values) / d if inverse else d * np.exp(values)
        expected = np.einsum("...ij,...j,...kj->...ik", vectors, spectrum, vectors.conj())
        assert np.abs(dirac.clover(inverse=inverse) - expected).max() < 1e-13


@pytest.mark.parametrize("make", [kaon.Wilson, kaon.Staggered])
def test_multigrid_solves_and_keeps_its_vectors(make, tmp_path):
    links = kaon.GaugeField(kaon.Lattice((4, 4, 8, 8)), start="weak", seed=3, width=0.2)
    dirac, light = make(links, mass=0.05), make(links, mass=0.01)
    source = np.zeros(links.lattice.site_shape() + ((4, 3) if dirac.spins == 4 else (3,)), complex)
    source[(0,) * source.ndim] = 1
    solve = kaon.Solver(dirac, method="multigrid", tolerance=1e-10)
    assert dirac.residual(solve(source), source)[0] < 1.1e-10
    solve.save(tmp_path / "vectors")
    warm = kaon.Solver(light, method="multigrid", near_null_file=tmp_path / "vectors")
    assert light.residual(warm(source), source)[0] < 1.1e-10
