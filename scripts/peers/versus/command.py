"""Shared by torch_bench, torch_ddp_bench and torch_pipeline_bench: their options, and the Pythons that have torch."""

import argparse
import os
import sys
from pathlib import Path

from versus import launch, workloads
from versus.machine import ROOT, processor_kind, results_folder
from versus.sides import version_of

SKIPPED = 77


def parser_of(name, description, models):
    parser = argparse.ArgumentParser(prog=name, description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=",".join(models), type=names_of(workloads.ALL), metavar="NAMES",
                        help=f"some of {', '.join(models)} (default: all)")
    parser.add_argument("--rounds", type=positive, default=7, help="rounds of every comparison (default: 7)")
    parser.add_argument("--seconds", type=float, default=3.0,
                        help="minimum of steady steps of each side in a round, and at least 3 steps (default: 3)")
    parser.add_argument("--passes", type=positive, default=2,
                        help="passes of the tournament that selects PyTorch's best configuration (default: 2)")
    parser.add_argument("--quick", action="store_true", help="a short trial: the first model, 2 rounds of 1 s, 1 pass")
    add_out(parser, name)
    parser.add_argument("--build", type=Path, default=ROOT / "build", metavar="DIR",
                        help="build folder of ddlbench and machine_probe (default: build)")
    parser.add_argument("--python", action="append", metavar="FILE",
                        help="a Python with torch; repeatable (default: all that are found)")
    return parser


def add_out(parser, name):
    parser.add_argument("--out", type=Path, default=results_folder(name), metavar="DIR",
                        help="output folder for the tables and their environment (default: results/cpu/KIND/"
                             f"{name}, with the kind of this processor, {processor_kind()})")


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return value


def names_of(known):
    def parse(text):
        found = text.split(",")
        unknown = [name for name in found if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"unknown: {', '.join(unknown)}; known are {', '.join(known)}")
        return found
    return parse


def shortened(arguments):
    """Returns the arguments with the effect of --quick."""
    if arguments.quick:
        arguments.models, arguments.rounds, arguments.precision = arguments.models[:1], 2, arguments.precision[:1]
        arguments.seconds, arguments.passes = 1.0, 1
    return arguments


def completed(arguments, binaries=("ddlbench", "machine_probe")):
    """Returns the arguments with absolute paths, and creates the folder for results. Exits with 2 if something is not
    built."""
    launch.end_with_children()
    arguments.build, arguments.out = arguments.build.resolve(), arguments.out.resolve()
    for binary in binaries:
        if not (arguments.build / binary).is_file():
            print(f"there is no {arguments.build / binary}: build it, or name the folder with --build", file=sys.stderr)
            sys.exit(2)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "table.md").unlink(missing_ok=True)
    return arguments


def pythons(named):
    """Returns {Python: [versions of torch and torchvision]}, one for each version of torch. Exits with 77 if there is
    none."""
    told = named or os.environ.get("DDLBENCH_TORCH_PYTHON", "").split()
    own = Path(os.environ.get("DDLBENCH_TORCH_VENV") or ROOT / ".cache" / "torch-venv") / "bin" / "python"
    found = {}
    for python in told or [str(own), "/usr/bin/python3"]:
        versions = version_of(python)
        if versions and versions not in found.values():
            found[python] = versions
    if not found:
        print("skipped: no Python here has torch and torchvision (scripts/peers/torch_venv installs the newest; Debian: "
              "python3-torch, python3-torchvision; or name one with --python or in DDLBENCH_TORCH_PYTHON)",
              file=sys.stderr)
        sys.exit(SKIPPED)
    return found
