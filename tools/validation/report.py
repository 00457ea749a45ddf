# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Results of tools/validate beside published numbers, and the files of docs/measurements/validation."""
import hashlib
import json
import math
import re

NOT_RUN = "not run"
#: Rows are accepted up to this deviation, exact ones up to the second.
LIMIT, EXACT_LIMIT = 2.5, 3.0


def parsed(text, exact=False):
    """Value and error of text such as 0.5937(24) or 5.7e-4(3). Without an error it is half a unit of the last digit, or 0 of exact
    numbers."""
    digits, decimals, exponent, error = re.fullmatch(r"([+-]?\d+(?:\.(\d+))?)(e[+-]?\d+)?(?:\((\d+)\))?", text).groups()
    scale = float("1" + (exponent or "e0"))
    unit = 10.0 ** -len(decimals or "") * scale
    return float(digits) * scale, int(error) * unit if error else (0.0 if exact else unit / 2)


def shown(value, error):
    """Text such as 0.59373(52): the error has two digits."""
    if not error > 0.0:
        return f"{value:.6g}"
    decimals = 1 - math.floor(math.log10(error))
    if round(error * 10**decimals) >= 100:
        decimals -= 1
    if decimals <= 0:
        return f"{value:.0f}({error:.0f})"
    return f"{value:.{decimals}f}({round(error * 10 ** decimals)})"


def deviation(row, value, error):
    published, published_error = parsed(row["published"], row["known"] == "exact")
    return (value - published) / math.sqrt(error**2 + published_error**2 + row["s_sys"] ** 2)


def verdict(row, value, error):
    """Agreement in words. An error beyond twice the published one and beyond 0.5 % of the scale proves nothing."""
    _, published_error = parsed(row["published"], row["known"] == "exact")
    far = abs(deviation(row, value, error)) > (EXACT_LIMIT if row["known"] == "exact" else LIMIT)
    if not far and error > max(2 * published_error, 0.005 * row.get("scale", abs(value))):
        return "agrees, error too large"
    if row["known"] == "remembered":
        return "differs from memory" if far else "agrees with memory"
    return "differs" if far else "agrees"


def plan_of(row, specifications):
    """A checksum of what a result depends on: the runs and how the number comes out of them. A result of another plan does not count."""
    runs = [{key: value for key, value in run.items() if key not in ("device", "seconds", "batch")} for run in specifications]
    estimator = {key: value for key, value in row.items() if key in ("by", "time", "times", "states", "quark", "r0", "recorded")}
    return hashlib.sha256(json.dumps([runs, estimator], sort_keys=True).encode()).hexdigest()[:12]


def entry(name, row, runs):
    """The members of a row without its result."""
    sizes = list(dict.fromkeys(" x ".join(map(str, run.size())) for run in runs)) or ["16 x 16 x 16 x 32"]
    return {"row": name, "quantity": row["quantity"], "lattice": shorter(sizes[0]), "published": row["published"], "known": row["known"],
            "source": row["source"], "s_sys": row["s_sys"], "s_sys is": row["reason"], "plan": plan_of(row, [run.specification for run in runs]), "kaon": NOT_RUN, "z": "", "verdict": "", "value": "",
            "error": "", "samples": "", "apart": "", "tau_int": "", "chains": "", "device": "", "seconds": "", "joules": "", "commit": ""}


def shorter(size):
    """16^3 x 32 for 16 x 16 x 16 x 32."""
    x, y, z, t = size.split(" x ")
    return f"{x}^4" if x == y == z == t else f"{x}^3 x {t}" if x == y == z else size


def result(row, runs, measured):
    """The members that a result changes."""
    costs = [cost for run in runs for cost in run.costs()]
    origin = runs[0].provenance()
    host = origin["execution_space"] in ("OpenMP", "Serial", "Threads")
    seconds = sum(cost["processor_seconds" if host else "seconds"] for cost in costs)
    energy = [cost["joules"] for cost in costs]
    return {"kaon": shown(measured.value, measured.error), "z": f"{deviation(row, measured.value, measured.error):+.1f}",
            "verdict": verdict(row, measured.value, measured.error), "value": measured.value, "error": measured.error,
            "samples": measured.samples, "apart": measured.apart,
            "tau_int": "" if measured.tau_int is None else shown(measured.tau_int, measured.tau_int_error),
            "chains": sum(len(run.seeds) for run in runs), "device": f"{origin['device']}" + (", one core" if host else ""),
            "seconds": round(seconds, 1) if all(run.costs() for run in runs) else "", "joules": sum(energy) if energy and None not in energy and not host else "",
            "commit": origin["commit"]}


def from_spectrum(row, rows):
    """The result of a row that another page has: the row of quenched_spectrum.json with the members of `recorded`."""
    found, = (other for other in rows if all(str(other[key]) == value for key, value in row["recorded"].items()))
    value, error = parsed(found["kaon"])
    return {"kaon": found["kaon"], "z": f"{deviation(row, value, error):+.1f}", "verdict": verdict(row, value, error), "value": value,
            "error": error, "samples": 60, "apart": 100, "device": "NVIDIA H200"}


def earlier(base, row, before):
    """The members that an earlier result of the same plan has, compared with the published number of now."""
    if before.get("plan") != base["plan"] or before["kaon"] == NOT_RUN:
        return {}
    found = {key: before[key] for key in list(base)[list(base).index("kaon"):]}
    return {**found, "z": f"{deviation(row, found['value'], found['error']):+.1f}", "verdict": verdict(row, found["value"], found["error"])}


def file_of(kind):
    return f"validation_{kind}.json"


def read(folder, kind):
    """The rows of a file that an earlier call wrote, by name."""
    path = folder / file_of(kind)
    return {row["row"]: row for row in json.loads(path.read_text(encoding="utf-8"))["rows"]} if path.exists() else {}


def write(folder, kind, title, rows, commands):
    devices = list(dict.fromkeys(row["device"] for row in rows if row["device"]))
    content = {"title": title, "machine": "; ".join(devices) or "none yet", "command": commands,
               "unit": "lattice units; value(error) in units of the last digits; deviations z in errors of the difference; seconds of a core of hosts, "
                       "of the whole device of GPUs"}
    text = json.dumps(content, indent=1)[:-2] + ',\n "rows": [\n' + ",\n".join("  " + json.dumps(row) for row in rows) + "\n ]\n}\n"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / file_of(kind)).write_text(text, encoding="utf-8")


def costs(rows):
    """The numbers of the rows that were run that are not part of a comparison."""
    keys = ("row", "samples", "apart", "tau_int", "chains", "device", "seconds", "joules", "commit")
    return [{key: row[key] for key in keys} for row in rows if row["kaon"] != NOT_RUN and row["seconds"]]


def summary(rows, specifications):
    """Numbers of all rows together. Rows of one ensemble are correlated: the first one counts in the sum of z^2."""
    run = [row for row in rows if row["kaon"] != NOT_RUN]
    seen, squares = set(), []
    for row in run:
        ensemble = tuple(specifications[row["row"]].get("runs", ["spectrum"]))
        if ensemble not in seen:
            seen.add(ensemble)
            squares.append(float(row["z"]) ** 2)
    count = len(squares)
    beyond = sum(abs(float(row["z"])) > LIMIT for row in run)
    return [{"all rows": "rows", "value": len(rows)}, {"all rows": "rows with a result, those of spectrum.md included", "value": len(run)},
            {"all rows": "kinds with a result", "value": len({specifications[row["row"]]["kind"] for row in run})},
            {"all rows": "results whose published number is not remembered", "value": sum(row["known"] != "remembered" for row in run)},
            {"all rows": "beyond 2.5", "value": beyond}, {"all rows": "ensembles", "value": count},
            {"all rows": "sum of z^2, one row of each ensemble", "value": f"{sum(squares):.1f}"},
            {"all rows": "its expected value", "value": count}, {"all rows": "its expected deviation", "value": f"{math.sqrt(2 * count):.1f}"}]
