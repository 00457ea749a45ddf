# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Runs of tools/validate: Markov chains with checkpoints, and measurements of their configurations, in pieces that add up."""
import contextlib
import ctypes
import json
import os
import pathlib
import resource
import shlex
import subprocess
import time

from . import chains


class Unfinished(Exception):
    """The time limit ended a run, which continues when it is called again."""


class Failed(Exception):
    """A command ended with an error."""


def joules():
    """Energy that the GPU, the first of CUDA_VISIBLE_DEVICES, has used since its driver was loaded, or None without NVIDIA's library."""
    first = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None
    device, value = ctypes.c_void_p(), ctypes.c_ulonglong()
    if nvml.nvmlInit_v2() or nvml.nvmlDeviceGetHandleByIndex_v2(int(first) if first.isdigit() else 0, ctypes.byref(device)):
        return None
    return None if nvml.nvmlDeviceGetTotalEnergyConsumption(device, ctypes.byref(value)) else value.value / 1000


def processor_seconds():
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


class Machine:
    """The program, the folder of all runs, the time until which they may work, and the number of calls that share the GPU."""

    def __init__(self, program, folder, seconds=None, sharing=1):
        self.program, self.folder, self.sharing = pathlib.Path(program).resolve(), pathlib.Path(folder), sharing
        self.end = None if seconds is None else time.monotonic() + seconds

    def left(self):
        """Seconds that are left, or None without a limit."""
        if self.end is None:
            return None
        if (left := self.end - time.monotonic()) < 5:
            raise Unfinished
        return left

    @contextlib.contextmanager
    def cost(self, run, command):
        """Appends time and energy of a piece of work, or its share of them, to the run's costs.jsonl."""
        begin, used, energy = time.monotonic(), processor_seconds(), joules()
        try:
            yield
        finally:
            cost = {"command": command, "seconds": round((time.monotonic() - begin) / self.sharing, 1),
                    "processor_seconds": round(processor_seconds() - used, 1),
                    "joules": None if energy is None else round((joules() - energy) / self.sharing)}
            with open(self.folder / run / "costs.jsonl", "a", encoding="utf-8") as file:
                file.write(json.dumps(cost) + "\n")

    def kaon(self, run, arguments, output=None, limited=False):
        """Runs a command of the program kaon in the folder. `output` is a file for its standard output; `limited` commands end by
        themselves with the code 5 at the time limit, and others are stopped."""
        left = self.left()
        command = [str(self.program), *arguments, *(["--time-limit", str(int(left))] if limited and left else [])]
        with self.cost(run, "kaon " + shlex.join(arguments)):
            process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                printed, errors = process.communicate(timeout=None if limited else left)
            except subprocess.TimeoutExpired:
                raise Unfinished from None
            finally:
                process.terminate()  # if it still runs; generate and hmc write a checkpoint then
                process.wait()
        if process.returncode == 5:
            raise Unfinished
        if process.returncode:
            raise Failed(f"kaon {shlex.join(arguments)}: exit code {process.returncode}\n{errors}")
        if output:
            path = self.folder / output
            path.with_suffix(".part").write_text(printed, encoding="utf-8")
            path.with_suffix(".part").rename(path)


class Run:
    """One entry of "runs" in rows.json: chains with several seeds, and the measurements of their configurations."""

    def __init__(self, name, specification, machine):
        self.name, self.specification, self.machine, self.folder = name, specification, machine, machine.folder / name
        self.__dict__.update({"every": 0, "batch": 10, "flow": None, "hadrons": None, "propagator": None, "loops": None, **specification})

    def size(self):
        words = self.options.split()
        return list(map(int, words[words.index("--size") + 1].split(","))) if "--size" in words else self.extents

    # Commands

    def chain_command(self, seed, updates):
        count = {"generate": "--sweeps", "hmc": "--trajectories"}[self.program]
        every = ["--save-every", str(self.every)] if self.every else []
        return [self.program, *shlex.split(self.options), count, str(updates), *every, "--seed", str(seed), "--output", f"{self.name}/s{seed}"]

    def commands(self):
        """The commands of the whole run, for readers."""
        if self.program == "python":
            yield f"tools/validation/chains.py: {self.options}, {self.updates} updates, seeds {', '.join(map(str, self.seeds))}"
        else:
            yield from ("kaon " + shlex.join(self.chain_command(seed, self.updates)) for seed in self.seeds)
        named = f"{self.name}/s{self.seeds[0]}_{self.every:06d}"
        if self.flow:
            yield f"kaon flow {named}.lime {self.flow} --json"
        if self.propagator:
            yield f"kaon propagator --gauge {named}.lime {self.propagator} --correlator {named}.propagator.json"
        if self.hadrons:
            yield f"kaon measure {self.name}/hadrons.json {self.name}/s{self.seeds[0]}_*.lime --resume"
        if self.loops:
            yield f"kaon.wilson_loops: {json.dumps(self.loops)}"

    # State

    def checkpoint(self, seed):
        """The checkpoint of a chain, or None."""
        path = self.folder / f"s{seed}.checkpoint.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def updates_of(self, seed):
        """Updates after thermalization that a chain has."""
        found = self.checkpoint(seed)
        return len(found["plaquettes"]) if found else 0

    def configurations(self, seed):
        """The numbers of a chain's configurations."""
        return list(range(self.every, self.updates + 1, self.every)) if self.every else []

    def measurements(self, seed, number):
        """The files of measurements of a configuration."""
        stem = self.folder / f"s{seed}_{number:06d}"
        return {**({"flow": stem.with_suffix(".flow.json")} if self.flow else {}),
                **({"propagator": stem.with_suffix(".propagator.json")} if self.propagator else {}),
                **({"loops": stem.with_suffix(".loops.json")} if self.loops else {}),
                **({"hadrons": self.folder / "hadrons" / f"{stem.name}.json"} if self.hadrons else {})}

    def measured(self, seed, number):
        return all(path.exists() for path in self.measurements(seed, number).values())

    def generated(self):
        """Whether the chains are complete."""
        return all(self.updates_of(seed) >= self.updates for seed in self.seeds)

    def complete(self):
        """Whether chains and measurements are complete."""
        return self.generated() and all(self.measured(seed, n) for seed in self.seeds for n in self.configurations(seed))

    def costs(self):
        path = self.folder / "costs.jsonl"
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []

    # Work

    def work(self, remove=True, job=(1, 1)):
        """Generates and measures until the chains of job K of N are complete: every Nth seed from the Kth on. Raises `Unfinished` at the time limit. Configurations that are measured are
        removed if `remove` is True, since checkpoints have the links of the last one."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.hadrons:
            content = {**self.hadrons, "output": {"folder": f"{self.name}/hadrons", "format": "json"}}
            (self.folder / "hadrons.json").write_text(json.dumps(content, indent=1), encoding="utf-8")
        for seed in self.seeds[job[0] - 1::job[1]]:
            batch = self.every * self.batch if self.every and self.measurements(seed, 0) else self.updates
            for last in [*range(batch, self.updates, batch), self.updates]:
                numbers = [n for n in self.configurations(seed) if last - batch < n <= last]
                if self.updates_of(seed) >= last and all(self.measured(seed, n) for n in numbers):
                    continue
                self.advance(seed, last)
                self.measure(seed, numbers)
                if remove and self.measurements(seed, 0):
                    for n in numbers:
                        (self.folder / f"s{seed}_{n:06d}.lime").unlink(missing_ok=True)

    def advance(self, seed, last):
        if self.updates_of(seed) >= last:
            return
        if self.program == "python":
            with self.machine.cost(self.name, f"{self.options}, seed {seed}"):
                try:
                    finished = chains.advance(self, seed, last)
                except chains.kaon_package().Error as error:
                    raise Failed(f"{self.options}, seed {seed}: {error}") from error
            if not finished:
                raise Unfinished
            return
        resumed = ["--resume"] if self.checkpoint(seed) else []
        self.machine.kaon(self.name, [*self.chain_command(seed, last), "--report-every", "1000000", *resumed], limited=True)

    def measure(self, seed, numbers):
        missing = [n for n in numbers if not self.measured(seed, n)]
        file = {n: f"{self.name}/s{seed}_{n:06d}.lime" for n in missing}
        if self.hadrons and missing:
            self.machine.kaon(self.name, ["measure", f"{self.name}/hadrons.json", *file.values(), "--resume"])
        for n in missing:
            paths = {key: path.relative_to(self.machine.folder) for key, path in self.measurements(seed, n).items() if not path.exists()}
            if "flow" in paths:
                self.machine.kaon(self.name, ["flow", file[n], *shlex.split(self.flow), "--json"], paths["flow"])
            if "propagator" in paths:
                self.machine.kaon(self.name, ["propagator", "--gauge", file[n], *shlex.split(self.propagator), "--correlator", str(paths["propagator"])])
            if "loops" in paths:
                self.machine.left()
                with self.machine.cost(self.name, f"kaon.wilson_loops of {file[n]}"):
                    chains.measure_loops(self.machine.folder / file[n], self.machine.folder / paths["loops"], **self.loops)

    # Results

    def series(self, key):
        """The numbers of all chains with a key of the checkpoint, "plaquettes", "delta_energies", "accepted" or "polyakov", and the lengths of
        the chains."""
        parts = [self.checkpoint(seed)[key][:self.updates] for seed in self.seeds]
        return [number for part in parts for number in part], [len(part) for part in parts]

    def files(self, kind):
        """The measurements of a kind, read, in the order of the chains, and the lengths of the chains."""
        parts = [[json.loads(self.measurements(seed, n)[kind].read_text(encoding="utf-8")) for n in self.configurations(seed)] for seed in self.seeds]
        return [content for part in parts for content in part], [len(part) for part in parts]

    def provenance(self):
        return self.checkpoint(self.seeds[0])["provenance"]
