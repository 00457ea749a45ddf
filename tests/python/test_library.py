# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Tests in programs of their own: import, loading, start, stop, the command line."""
import ast
import inspect
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading

import pytest

import kaon
from kaon import library


def ended(program, environment):
    """A Python program that has ended. A shell's background jobs ignore SIGINT; the program does not inherit that."""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600,
                          env={**os.environ, **environment}, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def run(program, **environment):
    """The output of a Python program; its errors where it fails."""
    done = ended(program, environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def failure(program, **environment):
    """The exception with which a Python program ends."""
    done = ended(program, environment)
    assert done.returncode == 1 and done.stderr.startswith("Traceback"), done.stderr
    return done.stderr[done.stderr.index("kaon.errors."):].removeprefix("kaon.errors.")


def test_import_loads_and_starts_nothing():
    output = run("""
import sys
import threading
import kaon
assert "matplotlib" not in sys.modules
assert "libkaon" not in open("/proc/self/maps").read()
kaon.version()
assert "libkaon" in open("/proc/self/maps").read()
print(kaon.library._started if hasattr(kaon.library, "_started") else "module")
""")
    assert output.split() == ["False"]


@pytest.mark.parametrize("command", [("-c", "import kaon"), ("-m", "kaon", "plot", "pion.json")])
def test_a_python_without_numpy_is_told_what_it_lacks(command):
    """-S hides the packages that are installed."""
    package = str(pathlib.Path(kaon.__file__).parents[1])
    done = subprocess.run([sys.executable, "-S", *command], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": package})
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert f"{sys.executable} has no numpy: install it by" in lines[-1] and "python3-numpy" in lines[-1]
    assert lines[-1].startswith("kaon: ") == (len(lines) == 1) == (command[0] == "-m")


def public_calls():
    """Classes, methods and functions of the package, by name."""
    for name in kaon.__all__:
        thing = getattr(kaon, name)
        if callable(thing):
            yield name, thing
        if inspect.isclass(thing):
            yield from ((f"{name}.{method}", getattr(thing, method)) for method in vars(thing)
                        if not method.startswith("_") and callable(getattr(thing, method)))


def test_signatures_are_readable():
    signatures = {name: inspect.signature(call) for name, call in public_calls()
                  if not (inspect.isclass(call) and issubclass(call, Exception))}
    assert len(signatures) > 100
    for name, signature in signatures.items():
        for parameter in signature.parameters.values():
            text = repr(parameter.default)
            assert parameter.default is parameter.empty or (len(text) < 45 and " at 0x" not in text and text != "nan"), name


def test_names_of_the_package_are_the_public_ones():
    assert dir(kaon) == sorted(kaon.__all__) and "plot" in dir(kaon) and not [name for name in dir(kaon) if name.startswith("_")]


def test_objects_say_what_they_are(lattice, smooth):
    clover = kaon.WilsonClover(smooth, kappa=0.125, csw=1.5, boundary=(0, 0, 0, 0))
    solve = kaon.Solver(clover, tolerance=1e-8, method="bicgstab")
    action = kaon.TwoFlavors(kappa=0.12, hasenbusch=(0.3,))
    on = "4x6x2x8"
    of_clover = f"<kaon.WilsonClover: kappa=0.125, csw=1.5, boundary=(0, 0, 0, 0), {on}, double>"
    staggered = kaon.Staggered(smooth, mass=0.5)
    S = kaon.Propagator(lattice, source_site=(1, 0, 0, 2))
    freed = kaon.Momenta(lattice)
    freed.free()
    for thing, text in ((lattice, f"<kaon.Lattice: {on}>"), (smooth, f"<kaon.GaugeField: {on}, double>"),
                        (kaon.SpinorField(lattice, 1, 1, "single"), f"<kaon.SpinorField: {on}, single, 1 right-hand side, 1 spin>"),
                        (S, f"<kaon.Propagator: {on}, double, 12 right-hand sides, 4 spins, source at (1, 0, 0, 2)>"),
                        (freed, f"<kaon.Momenta: {on}, freed>"), (clover, of_clover),
                        (solve, f"<kaon.Solver: bicgstab, tolerance 1e-08, of {of_clover}>"),
                        (kaon.MultiMassSolver(staggered, [0.1, 0.5]),
                         f"<kaon.MultiMassSolver: (0.1, 0.5), tolerance 1e-10, of <kaon.Staggered: mass=0.5, {on}, double>>"),
                        (action, "TwoFlavors(kappa=0.12, hasenbusch=(0.3,))"), (kaon.GaugeAction(beta=5.6), "GaugeAction(beta=5.6)"),
                        (kaon.Action([action]), f"<kaon.Action: {action}>"),
                        (kaon.HMC(smooth, [action, kaon.GaugeAction(beta=5.6)], steps=(8, 2)),
                         f"<kaon.HMC: 8 steps of {action}; 2 steps of GaugeAction(beta=5.6); omelyan, length 1, next trajectory 1, {on}>")):
        assert repr(thing) == text
    assert "2 vectors, values " in repr(kaon.Eigenvectors(staggered, 2)) and "b of 4 slices" in repr(
        kaon.DomainWall(smooth, mass=0.1, slices=4, b=[1.0, 1.5, 1.5, 1.0j + 1]))


def test_libraries_that_do_not_fit_are_refused():
    import ctypes.util

    lattice = "import kaon; kaon.Lattice((4, 4, 4, 4))"
    absent = failure(lattice, KAON_LIBRARY="/nowhere/libkaon.so")
    assert absent.startswith("LibraryError") and "/nowhere/libkaon.so" in absent and "KAON_LIBRARY" in absent
    assert issubclass(kaon.LibraryError, ImportError)
    assert "is not the library of this Python package" in failure(lattice, KAON_LIBRARY=ctypes.util.find_library("m"))
    older = failure('import kaon.declarations; kaon.declarations.VERSION = "0.0.9"; kaon.version()')
    assert f"is of kaon {kaon.version()}, this Python package of 0.0.9" in older
    # An exception of one process has its traceback alone.
    assert failure("import kaon; kaon.Lattice((4, 4, 4, 4)); kaon.Lattice((3, 4, 4, 4))").count("\n") == 1


def test_stop_frees_everything_and_is_final():
    output = run("""
import kaon
links = kaon.GaugeField(kaon.Lattice((4, 4, 4, 4)), start="cold")
kaon.stop()
kaon.stop()
for call in (links.plaquette, lambda: kaon.Lattice((4, 4, 4, 4))):
    try:
        call()
    except kaon.Error as error:
        print(type(error).__name__, error)
""")
    lines = output.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("Unsupported") and "cannot be started again" in line


def test_programs_end_quietly_with_objects_alive():
    assert run("""
import kaon
links = kaon.GaugeField(kaon.Lattice((4, 4, 4, 4)), start="cold")
solve = kaon.Solver(kaon.Wilson(links, mass=0.1))
ring = [links, solve]
ring.append(ring)
kaon.set_log(lambda kind, text: None)
""") == ""


def test_no_module_imports_one_that_imports_it():
    """Imports for types alone count as well: each module can be read after those that it names."""
    folder = pathlib.Path(kaon.__file__).parent
    imports = {}
    for path in folder.glob("*.py"):
        named = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom) and node.level == 1]
        imports[path.stem] = {name for node in named
                              for name in ([node.module] if node.module else [alias.name for alias in node.names])}
    assert imports["spinor"] >= {"gauge", "library"}
    ready = set()
    while more := {module for module, names in imports.items() if names <= ready} - ready:
        ready |= more
    assert ready == set(imports)


def test_log_receives_notices():
    """A solver that has to leave half precision reports it."""
    output = run("""
import kaon, numpy
kaon.set_log(lambda kind, text: print(kind, text))
lattice = kaon.Lattice((4, 4, 4, 4))
links = kaon.GaugeField(lattice, start="cold")
spread = numpy.ones((4, 4, 4, 4, 4, 3), complex)
spread[0, 0, 0, 0] *= 1e12
kaon.Solver(kaon.Wilson(links, mass=1e-4, boundary=(0, 0, 0, 0)), tolerance=1e-12).solve(spread)
""", KAON_TUNE="off")
    assert output.startswith("notice 1 of 1 right-hand sides did not converge") and "in higher precision" in output


SOLVE = """
import os, signal, threading
import kaon, numpy
lattice = kaon.Lattice((4, 4, 4, 8))
links = kaon.GaugeField(lattice, start="weak", seed=1, width=0.3)
dirac = kaon.WilsonClover(links, mass=0.05)
b = numpy.random.default_rng(0).normal(size=lattice.site_shape() + (4, 3)) + 0j
"""


def test_interrupts_end_solves():
    """Within a function that is called or without one, in every method; and solvers solve again."""
    assert run(SOLVE + """
import time
calls = []
def progress(iteration, residuals):
    calls.append(iteration)
    if len(calls) == 3:
        signal.raise_signal(signal.SIGINT)
for solve in (kaon.Solver(dirac, progress=progress), kaon.MultiShiftSolver(dirac, [0.1], progress=progress)):
    calls.clear()
    try:
        solve(b)
    except KeyboardInterrupt:
        print("interrupted", len(calls))
    solve(b)
    print("solved", len(calls) > 3)
many = numpy.tile(b, (24, 1, 1, 1, 1, 1, 1))
hard = kaon.WilsonClover(links, mass=-0.9)
staggered = kaon.Staggered(links, mass=1e-6)
colours = numpy.ascontiguousarray(many[..., 0, :])
endless = {"tolerance": 1e-300, "max_iterations": 10**9}
for make, source in ((lambda: kaon.Solver(hard, method="cgnr", precision=("double", "double"), **endless), many),
                     (lambda: kaon.Solver(hard, method="cgnr", precision=("double", "double"), keep_history=True, **endless), many),
                     (lambda: kaon.Solver(staggered, method="cg", precision=("double", "double"), **endless), colours),
                     (lambda: kaon.MultiShiftSolver(hard, [0.0, 0.1], inner="double", **endless), many)):
    solve = make()
    for _ in range(2):  # the object stays usable
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        begin = time.monotonic()
        try:
            solve(source)
            print("solved")
        except KeyboardInterrupt:
            print("interrupted", time.monotonic() - begin < 30)
        except kaon.Error as error:
            print(error)
""").splitlines() == ["interrupted 3", "solved True"] * 2 + ["interrupted True"] * 8


def test_signals_without_exceptions_end_no_solve():
    assert run(SOLVE + """
seen = []
signal.signal(signal.SIGUSR1, lambda *_: seen.append(len(calls)))
calls = []
def progress(iteration, residuals):
    calls.append(iteration)
    if iteration == 3:
        os.kill(os.getpid(), signal.SIGUSR1)
x = kaon.Solver(dirac, progress=progress)(b)
print(seen == [3], len(calls) > 3, dirac.residual(x, b)[0] < 1e-9)
""") == "True True True\n"


def test_exits_within_a_solve_end_the_program():
    assert run(SOLVE + """
import sys
def leave(iteration, residuals):
    sys.exit(0)
kaon.Solver(dirac, progress=leave)(b)
print("went on")
""") == ""


def test_threads_wait_for_each_other():
    assert run(SOLVE + """
expected = kaon.Solver(dirac, tolerance=1e-10)(b).to_numpy()
wrong = []
def work():
    for _ in range(40):
        try:
            error = abs(kaon.Solver(dirac, tolerance=1e-10)(b).to_numpy() - expected).max()
            if not error < 1e-7:
                wrong.append(error)
        except kaon.Error as error:
            wrong.append(error)
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(wrong)
""", OMP_NUM_THREADS="2") == "[]\n"


def test_objects_that_go_while_kaon_is_at_work_are_freed_later():
    assert run(SOLVE + """
from kaon import library
fields, left = [kaon.SpinorField(lattice) for _ in range(3)], []
at_work, gone = threading.Event(), threading.Event()
def progress(iteration, residuals):
    at_work.set()
    gone.wait(60)
def drop():
    at_work.wait(60)
    fields.clear()
    left.append(library.waiting_handles())
    gone.set()
thread = threading.Thread(target=drop)
thread.start()
kaon.Solver(dirac, progress=progress)(b)
thread.join()
lattice.sum([1.0])
print(left, library.waiting_handles())
""") == "[3] 0\n"


def test_functions_that_kaon_calls_cannot_take_away_what_it_needs():
    assert run(SOLVE + """
def progress(iteration, residuals):
    if iteration == 3:
        solve.free()
        for seed in range(9):
            kaon.GaugeField(lattice, start="hot", seed=seed)
        try:
            kaon.stop()
        except kaon.InvalidArgument as error:
            print(error)
solve = kaon.Solver(dirac, progress=progress)
x = solve(b)
print(dirac.residual(x, b)[0] < 1e-9)
try:
    solve(b)
except kaon.InvalidArgument as error:
    print(error)
""").splitlines() == ["kaon cannot be stopped by a function that it calls", "True",
                               "this object (solver) has been freed: make it anew"]


def test_functions_that_kaon_calls_cannot_change_what_it_uses():
    assert run(SOLVE + """
other, psi, calls = kaon.Wilson(links, mass=0.5), kaon.SpinorField.from_array(lattice, b), []
def refused(function, *arguments):
    try:
        function(*arguments)
    except kaon.InvalidArgument as error:
        calls.append("in use" in str(error))
def progress(iteration, residuals):
    if iteration == 2:
        refused(solve.update, other)
        refused(solve, psi)
        refused(links.start, "cold")
        refused(psi.set, b)
        calls.append(bool(psi.norm2()[0] > 0 and dirac(psi).norm2()[0] > 0))
solve = kaon.Solver(dirac, progress=progress)
x = solve(psi)
print(calls, dirac.residual(x, psi)[0] < 1e-9)
""") == "[True, True, True, True, True] True\n"


def test_logs_may_set_another_one():
    assert run(SOLVE + """
def log(kind, text):
    print("first", kind)
    kaon.set_log(lambda kind, text: print("second", kind))
kaon.set_log(log)
del log
solve, zero = kaon.Solver(dirac), kaon.SpinorField(lattice)
for _ in range(2):
    solve(zero)
""") == "first notice\nsecond notice\n"


def test_forked_processes_are_told_so():
    assert run(SOLVE + """
import sys
import threading
sys.stdout.flush()
child = os.fork()
if child == 0:
    del b
    try:
        links.plaquette()
    except kaon.Unsupported as error:
        os.write(1, (str(error)[:56] + "\\n").encode())
    del links, dirac
    sys.exit(3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
print(links.plaquette().average > 0)
""", OMP_NUM_THREADS="2") == "this process was forked from one in which kaon runs, and\nTrue\n"


def test_exceptions_at_a_prompt_end_no_program():
    done = subprocess.run([sys.executable, "-i"], input="import kaon\nkaon.Lattice((4, 4, 4, 4))\n1 / 0\nprint('on')\n",
                          capture_output=True, text=True, timeout=600, env={**os.environ, "PYTHONSTARTUP": ""})
    assert done.stdout.endswith("on\n") and "ZeroDivisionError" in done.stderr
    assert "ended the program" not in done.stderr


def test_info():
    info = kaon.run_info()
    assert info["version"] == kaon.version() and info["processes"] == 1 and info["host_threads"] >= 1
    done = subprocess.run([sys.executable, "-m", "kaon", "info", "--json"], capture_output=True, text=True, timeout=600)
    assert json.loads(done.stdout)["library"] == kaon.library_path()
    done = subprocess.run([sys.executable, "-m", "kaon", "info"], capture_output=True, text=True, timeout=600)
    assert "execution space" in done.stdout


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="nonsense"):
        kaon.nonsense


def test_hooks_of_threads_are_taken_back():
    before, first_is_in, first_is_out = sys.unraisablehook, threading.Event(), threading.Event()

    def second():
        first_is_in.wait(10)
        with library.raising_from_callbacks([]):
            first_is_out.wait(10)

    thread = threading.Thread(target=second)
    thread.start()
    with library.raising_from_callbacks([]):
        first_is_in.set()
        thread.join(0.2)
    first_is_out.set()
    thread.join()
    assert sys.unraisablehook is before
