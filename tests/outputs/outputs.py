# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Records what the program, Python and C write, and compares two records byte by byte.

    outputs.py record FOLDER --program kaon [--library libkaon.so --package FOLDER --python python3] [--mpirun mpirun]
                   [--only WORD] [--jobs N]
    outputs.py compare OLD NEW
    outputs.py repeat FOLDER ...    records twice and compares, to show that outputs are reproducible

Each job of JOBS runs in a folder of its own, on one thread and without tuning, and leaves its output, its exit code and
its files there. Times, energies and what describes the build are replaced by a word before they are stored; all other
bytes must agree. Record with a build from before a change and with one from after it, on one machine."""

import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
FIELD = "quenched_b6.0_8x8x8x16.nersc"  # of examples/, copied into the folder of each job
WEAK = "--weak 0.2 --size 4,4,4,8 --seed 7"
FILES = "--correlator c.json --output p.lime"
CLOVER, HEAVY = "--action clover --csw 1.2", "--mass 0.2"
TWISTED = "--action twisted-mass --mass 0.1 --mu 0.2"
DOUBLET = "--action twisted-doublet --mass 0.2 --mu 0.2 --epsilon 0.1"
WALLS = "--action domain-wall --mass 0.1 --ls 4 --m5 1.6"

# Propagators: the name of the job and its options.
PROPAGATORS = {
    "wilson": f"{WEAK} {HEAVY}",
    "wilson-kappa": f"{WEAK} --kappa 0.12 --boundary periodic,periodic,0.3,antiperiodic",
    "wilson-anisotropic": f"{WEAK} {HEAVY} --xi0 2.5 --nu 1.1 --solver cgnr --source gaussian",
    "clover": f"{WEAK} {CLOVER} {HEAVY} --source wall-z2",
    "clover-planes": f"{WEAK} --csw-s 1.1 --csw-t 0.9 {HEAVY} --source wall --schur asymmetric",
    "clover-cgne": f"{WEAK} {CLOVER} {HEAVY} --solver cgne --schur none --precision double",
    "clover-gcr-dd": f"{WEAK} {CLOVER} {HEAVY} --solver gcr-dd --schwarz-steps 6",
    "clover-single": f"{WEAK} {CLOVER} {HEAVY} --precision single-half",
    "clover-multigrid": f"--gauge {FIELD} --kappa 0.135 --csw 1.769 --solver multigrid --multigrid-file v.lime",
    "clover-auto": f"--gauge {FIELD} --kappa 0.13 --csw 1.7 --source-site 1,2,3,4",
    "clover-unconverged": f"--gauge {FIELD} --kappa 0.135 --csw 1.769 --max-iterations 20 --solver bicgstab",
    "twisted": f"{WEAK} {TWISTED}",
    "twisted-clover": f"{WEAK} {TWISTED} --csw 1.1 --precision double-single",
    "twisted-single": f"{WEAK} {TWISTED} --precision single",
    "doublet": f"{WEAK} {DOUBLET}",
    "doublet-clover": f"{WEAK} {DOUBLET} --csw 1.1 --source wall --source-site 0,0,0,3",
    "walls": f"{WEAK} {WALLS} --source-site 0,0,0,2",
    "walls-moebius": f"{WEAK} {WALLS} --b 1.5 --c 0.5 --source wall-z2 --solver cgne",
    "walls-odd": f"{WEAK} --action domain-wall --mass 0.1 --ls 5",
    "staggered": f"{WEAK} --action staggered --mass 0.1",
    "staggered-masses": f"{WEAK} --action staggered --mass 0.1,0.3,0.2 --pairs --source corner-wall",
    "staggered-walls": f"{WEAK} --action staggered --mass 0.2 --source even-wall --output-format milc",
    "staggered-usqcd": f"{WEAK} --action staggered --mass 0.2,0.4 --output-format usqcd --precision single",
    "asqtad": f"{WEAK} --action asqtad --u0 0.9 --mass 0.05,0.2",
    "hisq": f"--gauge {FIELD} --action hisq --mass 0.05,0.5 --naik-epsilon 0,-0.1 --pairs",
    "hisq-single": f"{WEAK} --action hisq --mass 0.2 --precision single-half",
    "hisq-multigrid": f"--gauge {FIELD} --action hisq --mass 0.02,0.05 --solver multigrid",
    "hisq-single-mass": f"{WEAK} --action hisq --mass 0.1 --precision double-half --links 18",
}

# Refusals: options of `kaon propagator`, each of which ends with a message.
REFUSALS = [
    "", "--mass 0.1", f"{WEAK}", f"{WEAK} --mass 0.1 --kappa 0.12", f"{WEAK} --mass 0.1 --mu 0.1", f"{WEAK} --mass x",
    f"{WEAK} --mass 0.1,0.2", f"{WEAK} --action clover --mass 0.1", f"{WEAK} --csw-s 1 --mass 0.1",
    f"{WEAK} --action twisted-mass --mass 0.1", f"{WEAK} --action twisted-doublet --mass 0.1 --mu 0.1",
    f"{WEAK} {DOUBLET} --epsilon 50", f"{WEAK} {WALLS} --kappa 0.1", f"{WEAK} {WALLS} --ls 0", f"{WEAK} {WALLS} --b 0 --c 0",
    f"{WEAK} {WALLS} --precision single", f"{WEAK} {WALLS} --m5 5", f"{WEAK} --action staggered", f"{WEAK} --mass 1e100",
    f"{WEAK} --action staggered --mass 0.1 --csw 1", f"{WEAK} --action staggered --mass 0.1,0.1",
    f"{WEAK} --action asqtad --mass 0.1", f"{WEAK} --action asqtad --mass 0.1 --u0 -1", f"{WEAK} --action hisq --mass 0",
    f"{WEAK} --action hisq --mass 0.1,0.2,0.3 --naik-epsilon 0,0.1", f"{WEAK} --action improved --mass 0.1",
    f"{WEAK} --mass 0.1 --solver cg", f"{WEAK} --action hisq --mass 0.1 --solver bicgstab", f"{WEAK} {WALLS} --solver multigrid",
    f"{WEAK} --mass 0.1 --schwarz-steps 4", f"{WEAK} --mass 0.1 --solver gcr-dd --schur none", f"{WEAK} --mass 0.1 --links 14",
    f"{WEAK} --mass 0.1 --solver multigrid --schur none", f"{WEAK} --mass 0.1 --multigrid-file x", f"{WEAK} --mass 0.1 --delta 2",
    f"{WEAK} --mass 0.1 --eigenvectors x", f"{WEAK} --mass 0.1 --eigenvector-bits 16", f"{WEAK} --mass 0.1 --tolerance 1e-30",
    f"{WEAK} --mass 0.1 --precision double --delta 0.3", f"{WEAK} --mass 0.1 --source corner-wall", f"{WEAK} --mass 0.1 --pairs",
    f"{WEAK} --action hisq --mass 0.1 --source gaussian", f"{WEAK} --action hisq --mass 0.1 --schur none", f"{WEAK} --xi0 0 --mass 1",
    f"{WEAK} --mass 0.1 --source-site 9,0,0,0", f"{WEAK} --mass 0.1 --boundary a", f"{WEAK} --mass 0.1 --output-format milc",
    "--gauge missing.nersc --mass 0.1", f"--gauge {FIELD} --size 4,4,4,4 --mass 0.1", f"{WEAK} --unit --mass 0.1",
    f"{WEAK} --mass 0.1 --ignore-stated-plaquette", f"{WEAK} --mass 0.1 --grid 1,1", f"{WEAK} --kappa 0", f"{WEAK} --mass -4",
    f"{WEAK} --mass 0.1 --output no/such/folder/p.lime", f"{WEAK} --action other --mass 0.1", f"{WEAK} --mas 0.1",
    f"{WEAK} --action domain-wall --csw 1 --mass 0.1", f"{WEAK} --fat x --mass 0.1", f"{WEAK} --mass 0.1 --u0 0.9",
    f"{WEAK} --mass 0.1 --naik-epsilon 0.1", f"{WEAK} --mass 0.1 --phases milc", f"{WEAK} --mass 0.1 --m5 1.5",
]

COMMANDS = "info plaquette convert propagator tune generate hmc predict eigenvalues fix-gauge smear flow smear-links".split()
GENERATE = "generate --size 4,4,4,4 --beta 5.8 --sweeps 4 --save-every 2 --output f"
HMC = "hmc --size 4,4,4,4 --beta 5.5 --trajectories 2 --seed 5 --length 0.3 --output"
SIZE = "--size 8,8,8,16"

# Other commands: lists of command lines that run consecutively in one folder.
SERIES = {
    "help": ["--help", "--version", "nonsense", *[f"{command} --help" for command in COMMANDS]],
    "bare": [command for command in COMMANDS if command not in ("info", "tune")],
    "plaquette": [f"plaquette {FIELD}", "plaquette missing", f"plaquette {FIELD} --size 4,4,4,4"],
    "convert": [f"convert {FIELD} out.lime", f"convert {FIELD} out.nersc --format nersc3x3 --precision single", "plaquette out.lime",
                "plaquette out.nersc", f"convert {FIELD} out.x --format other", "convert missing out.lime"],
    "eigenvalues": [f"eigenvalues {WEAK} --action staggered --mass 0.1 --count 3 --output e.json --vectors e.lime",
                    f"propagator {WEAK} --action staggered --mass 0.1,0.2 --eigenvectors e.lime {FILES}",
                    f"propagator {WEAK} --action staggered --mass 0.1 --eigenvectors e.lime --eigenvector-bits 16",
                    f"eigenvalues {WEAK} --mass 0.1 --count 2 --sites all", f"eigenvalues {WEAK} {TWISTED} --count 2",
                    f"eigenvalues {WEAK} {DOUBLET} --count 2 --output d.json", f"eigenvalues {WEAK} --mass 0.1 --sites odd",
                    f"eigenvalues {WEAK} {WALLS} --count 2", f"eigenvalues {WEAK} --mass 0.1 --kappa 0.1"],
    "smear": [f"smear {FIELD} --method stout --steps 2 --json --output s.lime", f"smear {FIELD} --method ape --rho 0.1",
              f"smear {FIELD} --method hyp", f"fix-gauge {FIELD} --condition landau --tolerance 1e-4 --json",
              f"flow {FIELD} --steps 4 --json", f"flow {FIELD} --steps 2 --output f.lime --every 2"],
    "smear-links": [f"smear-links --gauge {FIELD} --action hisq --fat fat.lime --long long.lime",
                    "propagator --fat fat.lime --long long.lime --mass 0.1 " + FILES, "propagator --fat fat.lime --mass 0.1",
                    "propagator --fat fat.lime --long long.lime --action hisq --mass 0.1",
                    f"smear-links --gauge {FIELD} --action asqtad --fat a --long b"],
    "generate": [GENERATE, GENERATE, f"{GENERATE} --resume", "generate --size 4,4,4,4 --beta -1 --sweeps 2 --output g"],
    "hmc": [f"{HMC} a --mass 0.3", f"{HMC} b --kappa 0.11 --csw 1.1", f"{HMC} c --action staggered --mass 0.3 --flavors 4",
            f"{HMC} d --action domain-wall --ls 4 --mass 0.3", f"{HMC} e --kappa 0.11 --mu 0.2", f"{HMC} f --mass 0.1 --kappa 0.1",
            f"{HMC} g --action hisq --mass 0.3 --csw 1", f"{HMC} h --action asqtad --mass 0.3", f"{HMC} i --mass 0.3 --m5 1.4",
            f"{HMC} j --action staggered --mass 0.3 --hasenbusch 0.5", f"{HMC} k --mass 0.1,0.2 --flavors 1"],
    "predict": [f"predict {SIZE} --processes 1,x --mass 0.2", f"predict {SIZE} --processes 2 --mass 0.1 --kappa 0.1",
                f"predict {SIZE} --action staggered --mass 0.1 --solvers gcr-dd", "predict --mass 0.1",
                f"predict {SIZE} --mass 0.1 --schwarz-steps 3 --solvers cg",
                f"predict {SIZE} --mass 0.1 --u0 0.9", f"predict {SIZE} --action asqtad --kappa 0.1", f"predict {SIZE} --mass 0.1 --network slow"],
}

PYTHON = '''
import hashlib
import numpy as np
import kaon

lattice = kaon.Lattice((4, 4, 4, 8), reach=3)
links = kaon.GaugeField(lattice, start="weak", seed=3, width=0.2)
source = kaon.PointSource((0, 0, 0, 2))


def digest(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


def attempt(label, function):
    try:
        print(label, function())
    except Exception as error:
        print(label, type(error).__name__, error)


def propagator(dirac, **options):
    solver = kaon.Solver(dirac, tolerance=1e-9, **options)
    made = solver.flavors(source, 0) if isinstance(dirac, kaon.TwistedDoublet) else [solver.propagator(source)]
    extra = [digest(getattr(made[0], name)) for name in ("axial_current",) if getattr(made[0], name, None) is not None]
    if getattr(made[0], "midpoint", None) is not None:
        extra.append(digest(made[0].midpoint.to_numpy()))
    return [digest(p.to_numpy()) for p in made], [list(map(float, p.pion())) for p in made], extra


families = {
    "Wilson": dict(mass=0.1), "WilsonClover": dict(mass=0.1, csw=1.1), "TwistedMass": dict(mass=0.1, mu=0.2),
    "Staggered": dict(mass=0.1), "Asqtad": dict(mass=0.1, u0=0.9), "Hisq": dict(mass=0.1),
    "DomainWall": dict(mass=0.1, slices=4), "TwistedDoublet": dict(mass=0.2, mu=0.2, epsilon=0.1)}
for name, values in families.items():
    family = getattr(kaon, name)
    attempt(name, lambda: (repr(family(links, **values)), propagator(family(links, **values))))
    for wrong in (dict(values, mass=float("nan")), dict(values, kappa=0.1), dict(values, other=1), dict(values, mass=-5.0), {}):
        attempt(name + str(wrong), lambda: repr(family(links, **wrong)))
    for method in ("bicgstab", "cg", "cgnr", "cgne", "gcr-dd", "multigrid", "other"):
        attempt(name + " " + method, lambda: propagator(family(links, **values), method=method))
eta = source.make(lattice, 1, "double")
solver = kaon.MultiMassSolver(kaon.Hisq(links, mass=0.1), [0.1, 0.3])
attempt("masses", lambda: [digest(x.to_numpy()) for x in solver.solve(eta)])
shifts = kaon.MultiShiftSolver(kaon.WilsonClover(links, mass=0.3, csw=1.0), [0.1, 0.5])
attempt("shifts", lambda: [digest(x.to_numpy()) for x in shifts.solve(source.make(lattice, 4, "double"))])
attempt("hmc", lambda: repr(kaon.HMC(links, [kaon.GaugeAction("wilson", 5.5), kaon.TwoFlavors(mass=0.3)])))
'''

# Text that differs between runs or builds: pattern and replacement.
VOLATILE = [
    (r'("(?:\w*_)?(?:seconds|joules|gflops|time|date|started|host|hostname|commit|version|compiler|threads|command|pid|built)": )[^\n]*', r"\1~"),
    (r" in [\d.e+-]+ (?:s|ms|min|h)(?:, [\d.]+ Gflop/s)?", " in ~"),
    (r"[\d.e+-]+ (?:seconds|Gflop/s|ms|us|GB/s|J|kJ)\b", "~"),
    (r"\b\d+(?:\.\d+)? (?:s|min|h)\b", "~"),
    (r"\d{4}-\d\d-\d\d[T ][\d:.]+Z?", "~"),
    (r'"phases": \{[^}]*\}', '"phases": ~'),
    (r"(?m)^time  +[^\n]*\n", ""),  # of phases
    (r"(?m)^iteration +\d+ +largest residual .*\n", ""),  # a line a second
    (r"\[(\w+\.[ch]pp):\d+\]", r"[\1]"),
    (r"(?m) +\d+ %$", " ~"),  # shares of time
]


MILC_MAGIC = bytes.fromhex("34646271")


def stable(text: str) -> str:
    for pattern, by in VOLATILE:
        text = re.sub(pattern, by, text)
    return re.sub(r"\n\n+", "\n", text)


def stored(path: pathlib.Path) -> str:
    """Returns what is compared of a file: its text without volatile parts, or the digest of its bytes."""
    data = path.read_bytes()
    if b"\0" in data[:4096] or len(data) > 1 << 20:
        data = re.sub(rb"<date>.*?</date>|CREATION_DATE = .*|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d( \w+)? \d{4}", b"", data)
        if data[:4] == MILC_MAGIC:  # a time stamp follows
            data = data[8:]
        return f"{len(data)} bytes, {hashlib.sha256(data).hexdigest()}\n"
    if "checkpoint" in path.name:  # its own checksum covers the time of the run
        data = re.sub(rb'"checksum": "\w+"', b"", data)
    return stable(data.decode(errors="replace"))


def run_job(name: str, lines: list[list[str]], target: pathlib.Path, environment: dict) -> None:
    work = target / (name + ".work")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    shutil.copy(TOP / "examples" / FIELD, work)
    record = []
    for line in lines:
        done = subprocess.run(line, cwd=work, env=environment, capture_output=True, text=True, errors="replace", timeout=900)
        shown = shlex.join(line[next(i for i, word in enumerate(line) if "kaon" in word or "python" in word) + 1:])
        record.append(f"$ {shown[:300]}\n{done.stdout}{done.stderr}exit {done.returncode}\n")
    for path in sorted(p for p in work.rglob("*") if p.is_file() and p.name != FIELD):
        record.append(f"# {path.relative_to(work)}\n{stored(path)}")
    (target / (name + ".txt")).write_text(stable("\n".join(record)))
    shutil.rmtree(work)


def record(arguments: argparse.Namespace, folder: pathlib.Path) -> None:
    target = folder.resolve()
    target.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {
        "OMP_NUM_THREADS": "1", "OMP_PROC_BIND": "false", "KAON_TUNE": "off", "KAON_TUNE_CACHE": "", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none", "PYTHONDONTWRITEBYTECODE": "1"}
    if arguments.library and arguments.package:
        environment |= {"KAON_LIBRARY": str(arguments.library.resolve()), "PYTHONPATH": str(arguments.package.resolve())}
    kaon = [str(arguments.program.resolve())]
    jobs = {f"propagator-{name}": [[*kaon, "propagator", *shlex.split(options), *shlex.split(FILES)]] for name, options in PROPAGATORS.items()}
    jobs["refusals"] = [[*kaon, "propagator", *shlex.split(options)] for options in REFUSALS]
    for name, series in SERIES.items():
        jobs[name] = [[*kaon, *shlex.split(line)] for line in series]
    if arguments.library and arguments.package:
        jobs["python"] = [[arguments.python, "-c", PYTHON]]
    if arguments.mpirun:
        for name in ("clover", "walls", "doublet", "hisq", "clover-multigrid"):
            line = [arguments.mpirun, "-n", "2", *kaon, "propagator", *shlex.split(PROPAGATORS[name]), *shlex.split(FILES)]
            jobs[f"two-{name}"] = [line]
    jobs = {name: lines for name, lines in jobs.items() if not arguments.only or re.search(arguments.only, name)}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(lambda job: run_job(*job, target, environment), jobs.items()))
    print(f"{len(jobs)} jobs in {target}")


def compare(old: pathlib.Path, new: pathlib.Path) -> int:
    names = sorted({path.name for path in [*old.glob("*.txt"), *new.glob("*.txt")]})
    different = []
    for name in names:
        texts = [(folder / name).read_text().splitlines() if (folder / name).exists() else None for folder in (old, new)]
        if texts[0] == texts[1]:
            continue
        different.append(name)
        if None in texts:
            print(f"== {name}: only in {new if texts[0] is None else old}")
            continue
        shown = subprocess.run(["diff", "-U0", old / name, new / name], capture_output=True, text=True).stdout.splitlines()[2:]
        print(f"== {name}", *[line[:200] for line in shown[:12]], *(["..."] if len(shown) > 12 else []), sep="\n")
    print(f"{len(names) - len(different)} of {len(names)} jobs agree" + (f"; different: {' '.join(different)}" if different else ""))
    return 1 if different or not names else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for command in ("record", "repeat"):
        one = commands.add_parser(command)
        one.add_argument("folder", type=pathlib.Path)
        one.add_argument("--program", type=pathlib.Path, required=True)
        one.add_argument("--library", type=pathlib.Path)
        one.add_argument("--package", type=pathlib.Path)
        one.add_argument("--python", default=sys.executable, help="an interpreter with numpy")
        one.add_argument("--mpirun")
        one.add_argument("--only", help="a regular expression that the names of jobs contain")
        one.add_argument("--jobs", type=int, default=1)
    two = commands.add_parser("compare")
    two.add_argument("old", type=pathlib.Path)
    two.add_argument("new", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.command == "compare":
        return compare(arguments.old, arguments.new)
    if arguments.command == "record":
        record(arguments, arguments.folder)
        return 0
    folders = [arguments.folder / name for name in ("first", "second")]
    for folder in folders:
        record(arguments, folder)
    return compare(*folders)


if __name__ == "__main__":
    sys.exit(main())
