# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""python3 -m kaon info | plot FILE..."""
from __future__ import annotations

import argparse
import json
import sys

import kaon


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m kaon", description="Lattice QCD with kaon.")
    commands = parser.add_subparsers(dest="command", required=True)
    info = commands.add_parser("info", help="print what this kaon is and runs on")
    info.add_argument("--json", action="store_true", help="for machines")
    plot = commands.add_parser("plot", help="plot files of kaon measure, or the JSON of kaon propagator --correlator, kaon generate or kaon_perf")
    plot.add_argument("files", nargs="+", metavar="FILE")
    plot.add_argument("--output", metavar="PICTURE", help="write .png, .svg or .pdf (default: the first FILE with .png behind its name)")
    plot.add_argument("--show", action="store_true", help="open a window instead")
    given = parser.parse_args(arguments)
    try:
        if given.command == "info":
            values = kaon.run_info()
            if given.json:
                print(json.dumps(values, indent=2))
            else:
                for name, value in values.items():
                    print(f"{name.replace('_', ' '):<17} {value}")
            return 0
        from kaon import plot as plots

        written = plots.plot_files(given.files, given.output, given.show)
        if written:
            print(f"written {written}")
        return 0
    except (kaon.Error, OSError, ImportError) as error:
        print(f"kaon: {error}", file=sys.stderr)
        return 3 if isinstance(error, OSError) else 2 if isinstance(error, kaon.InvalidArgument) else 1


if __name__ == "__main__":
    sys.exit(main())
