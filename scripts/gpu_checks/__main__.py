"""Runs on a machine with a GPU what a build alone cannot prove, and records the results.

usage: scripts/gpu_check [--slot N] [--only ID,…] [--output DIR] [--build DIR] [--list]
       scripts/gpu_check --rehearse [--slot N] [--only ID,…] [--output DIR] [--build DIR]
       scripts/gpu_check --write-page

Runs the checks of docs/gpu.md, of one slot or of all, which takes at most eight minutes per slot. Those that --list
marks 'alone' take at most the seconds that it shows; the others of a slot run side by side, in at most the sum of their
seconds. After each check its result is written to DIR/slot-N.json with GPU, driver, commit and date; slot-N.log and
environment.json are next to it (DIR: results/reference/gpu, unless --output names another). Checks of an earlier run
that do not run now keep their results. --only: only these. In an unpacked archive of scripts/gpu_pack its binaries are
checked. Elsewhere those of the preset `cuda`, or of the build folder that --build names, are built first.

--rehearse does everything that needs no GPU: it finds libraries, starts binaries, expands experiments, and writes and
reads result files. --write-page rewrites the table in docs/gpu.md from results/reference/gpu, and runs nothing.

Exit codes: 0 no check failed; 1 a check failed; 2 usage; 4 no build, or a library is missing; 77 no GPU here.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import figures
import libraries
import machine
import page
from checks import CHECKS, PROGRAMS, SLOTS, Context
from processes import OutOfTime, Runner, say
from speed import torch_python

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "results" / "reference" / "gpu"


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/gpu_check", usage=__doc__, add_help=False)
    parser.add_argument("--slot", type=int, choices=sorted(SLOTS))
    parser.add_argument("--only", type=lambda words: words.split(","))
    parser.add_argument("--output", type=Path, default=REFERENCE)
    parser.add_argument("--build", type=Path)
    for switch in ("--list", "--rehearse", "--write-page"):
        parser.add_argument(switch, action="store_true")
    parser.add_argument("-h", "--help", action="store_true")
    given = parser.parse_args()
    known = [check.id for check in CHECKS]
    unknown = [word for word in given.only or [] if word not in known]
    if unknown:
        parser.error(f"no such check: {', '.join(unknown)}; there are {', '.join(known)}")
    return given


def listed():
    for slot, title in SLOTS.items():
        print(f"slot {slot}: {title}")
        for check in (check for check in CHECKS if check.slot == slot):
            print(f"  {check.id:24} {check.seconds:4} s  {check.title}{', alone' if check.timed else ''}")


def built(folder):
    """Returns a build folder with CUDA, up to date; None if building fails. Nothing is built in an archive."""
    if libraries.packed(ROOT):
        return folder or ROOT / "build"
    if folder is None:
        folder = ROOT / "build-cuda"
        if subprocess.run(["cmake", "--preset", "cuda"], cwd=ROOT, check=False).returncode != 0:
            return None
    targets = [Path(name).name for name in PROGRAMS]
    return folder if subprocess.run(["cmake", "--build", folder, "--target", *targets], check=False).returncode == 0 else None


def find_environment(rehearsed):
    """Returns the environment for the programs and the libraries that were found. Outside of an archive nothing is
    searched. In an archive the environment is None if a library is missing."""
    if not libraries.packed(ROOT):
        return dict(os.environ), []
    found = libraries.find_all(ROOT)
    said, enough = libraries.glibc(libraries.packed(ROOT))
    for line in [said, *(one.line() for one in found)]:
        say(line)
    needed = [one for one in found if not (rehearsed and one.library.file == "libcuda.so.1")]
    environment = {**os.environ, "LD_LIBRARY_PATH": libraries.folders(ROOT, found)}
    return (environment if enough and all(one.usable for one in needed) else None), found


def run_check(check, context, rehearsed, seconds):
    context.runner.note(f"{check.id}: {check.title}")
    context.runner.begin(seconds)
    try:
        if rehearsed:
            return figures.not_run(f"rehearsed: would run {check.work.rehearse(context)}, at most {seconds} s")
        if context.gpus < check.gpus:
            return figures.not_run(f"needs {check.gpus} GPUs, but there is {'one' if context.gpus == 1 else context.gpus}")
        return check.work.run(context)
    except OutOfTime as late:
        learned = f"; {late.figure}" if late.figure else ""
        return figures.failed(f"ended after {seconds} s, in {late}{learned}")
    except Exception as error:  # whatever it is, the next check must run
        context.runner.note(traceback.format_exc())
        return figures.failed(f"{type(error).__name__}: {error}")


def run_side_by_side(checks, context, rehearsed, keep):
    """Runs all checks at a time, each with a runner of its own, and calls keep(check, result) as each ends."""
    seconds = sum(check.seconds for check in checks)
    contexts = [replace(context, runner=context.runner.beside(check.id)) for check in checks]
    stopped = threading.Event()

    def run(check, own):
        result = run_check(check, own, rehearsed, seconds)
        if not stopped.is_set():  # otherwise its programs were killed
            keep(check, result)
    with ThreadPoolExecutor(max(1, len(checks))) as pool:
        try:
            list(pool.map(run, checks, contexts))
        except BaseException:  # a signal: the pool would wait for the programs
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            for own in contexts:
                own.runner.end_all()
            raise


def run_slot(slot, checks, given, build, environment, found, gpus):
    """Runs or rehearses the checks of one slot. Returns whether none failed."""
    log = given.output / f"slot-{slot}.log"
    log.write_text("".join(f"# {one.line()}\n" for one in found), encoding="utf-8")
    file = figures.file_of(given.output, slot)
    with tempfile.TemporaryDirectory() as work:
        runner = Runner(log, ROOT, environment)
        context = Context(ROOT, build.resolve(), Path(work), runner, len(gpus))
        runner.begin(60)
        env = machine.described(runner([context.program("ddlbench"), "env"])[0])
        machine.write_environment(given.output / "environment.json", env, [one.summary() for one in found], torch_python()[1])
        about = machine.about(gpus, env)
        states, lock = [], threading.Lock()

        def keep(check, result):
            runner.note(f"{check.id}: {figures.words(result)}")
            with lock:
                states.append(result["state"])
                figures.write(file, figures.updated(figures.read(file), check.id, result, about))
        run_side_by_side([check for check in checks if not check.timed], context, given.rehearse, keep)
        for check in checks:
            if check.timed:
                keep(check, run_check(check, context, given.rehearse, check.seconds))
    return figures.FAILED not in states


def main():
    given = arguments()
    if given.help:
        print(__doc__.strip())
        return 0
    if given.list:
        listed()
        return 0
    if given.write_page:
        page.write(ROOT / "docs" / "gpu.md", figures.read_all(REFERENCE))
        return 0
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # so that the programs end, too
    gpus = machine.gpus()
    if not gpus and not given.rehearse:
        say("there is no GPU here (nvidia-smi lists none): nothing was run or written; --rehearse runs what needs no "
            "GPU")
        return 77
    environment, found = find_environment(given.rehearse)
    build = built(given.build) if environment else None
    if build is None:
        say("there is no build with CUDA that can run here (see above): docs/gpu.md explains how to build one")
        return 4
    if given.rehearse and given.output == REFERENCE:
        given.output = Path(tempfile.mkdtemp(prefix="rehearsal-"))
        say(f"results are in {given.output}")
    given.output = given.output.resolve()
    given.output.mkdir(parents=True, exist_ok=True)
    well = True
    for slot in SLOTS:
        checks = [check for check in CHECKS if check.slot == slot and given.slot in (None, slot)
                  and (not given.only or check.id in given.only)]
        if checks:
            well = run_slot(slot, checks, given, build, environment, found, gpus) and well
    if given.rehearse:
        page.table(figures.read_all(given.output))
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
