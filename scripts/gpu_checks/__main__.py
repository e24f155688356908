"""Proves on a machine with a GPU what a build alone cannot prove, and writes down what came out.

usage: scripts/gpu_check [--build DIR] [--output DIR] [--only ID,…] [--list]
       scripts/gpu_check --write-page

Builds (preset `cuda`, unless --build names a build folder with CUDA), runs every check of docs/gpu.md, and writes
DIR/figures.json (default: results/reference/gpu) with GPU, driver, commit and date of each. Checks of an earlier
run that do not run now keep what that run found. Logs lie beside it. --only: these alone (--list names them).
--write-page rewrites the table in docs/gpu.md from results/reference/gpu/figures.json, and runs nothing.

Exit codes: 0 nothing failed; 1 a check failed; 2 usage; 4 no build; 77 no GPU here.
"""

import argparse
import subprocess
import sys
from pathlib import Path

import figures
import machine
import page
from checks import CHECKS, Context

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "results" / "reference" / "gpu"


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/gpu_check", usage=__doc__, add_help=False)
    parser.add_argument("--build", type=Path)
    parser.add_argument("--output", type=Path, default=REFERENCE)
    parser.add_argument("--only", type=lambda words: words.split(","))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--write-page", action="store_true")
    parser.add_argument("-h", "--help", action="store_true")
    given = parser.parse_args()
    known = [check.id for check in CHECKS]
    unknown = [word for word in given.only or [] if word not in known]
    if unknown:
        parser.error(f"no such check: {', '.join(unknown)}; there are {', '.join(known)}")
    return given


def say(text):
    print(f"gpu_check: {text}", file=sys.stderr, flush=True)


def built(folder):
    """A build folder with CUDA, up to date; None where that fails."""
    if folder is None:
        folder = ROOT / "build-cuda"
        if subprocess.run(["cmake", "--preset", "cuda"], cwd=ROOT, check=False).returncode != 0:
            return None
    return folder if subprocess.run(["cmake", "--build", folder], check=False).returncode == 0 else None


def run_check(check, context):
    if context.gpus < check.gpus:
        return figures.not_run(f"needs {check.gpus} GPUs, but there is {'one' if context.gpus == 1 else context.gpus}")
    try:
        return check.run(context)
    except (OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
        return figures.failed(f"{type(error).__name__}: {error}")


def main():
    given = arguments()
    if given.help:
        print(__doc__.strip())
        return 0
    if given.list:
        for check in CHECKS:
            print(f"{check.id:24} {check.title}")
        return 0
    if given.write_page:
        page.write(ROOT / "docs" / "gpu.md", figures.read(REFERENCE / "figures.json"))
        return 0
    gpus = machine.gpus()
    if not gpus:
        say("there is no GPU here (nvidia-smi lists none): nothing was run, and no figure written")
        return 77
    build = built(given.build)
    if build is None:
        say("there is no build with CUDA (see above): docs/gpu.md says how to make one")
        return 4

    given.output.mkdir(parents=True, exist_ok=True)
    file = given.output / "figures.json"
    found = figures.read(file)
    about = machine.about(ROOT, gpus)
    context = Context(root=ROOT, build=build.resolve(), output=given.output.resolve(), gpus=len(gpus))
    worst = 0
    for check in CHECKS:
        if given.only and check.id not in given.only:
            continue
        say(f"{check.id}: {check.title}")
        result = run_check(check, context)
        say(f"{check.id}: {figures.words(result)}")
        worst = max(worst, 1 if result["state"] == figures.FAILED else 0)
        found = figures.updated(found, check.id, result, about)
        figures.write(file, found)
    return worst


if __name__ == "__main__":
    sys.exit(main())
