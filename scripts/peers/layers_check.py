"""Compares the sum of `ddlbench layers` with forward and backward of a measured step of the strategy `single`.

Both take turns. The median of the ratios within a round decides. See docs/performance.md.

Exit codes: 0 within the tolerance; 1 outside the tolerance, or one side failed; 2 invalid usage.
"""

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path

from versus import command, launch, layers, machine, rounds, tables, workloads
from versus.estimates import median, paired
from versus.sides import DdlbenchSide

THREADS = min(2, len(os.sched_getaffinity(0)))


def parse():
    parser = argparse.ArgumentParser(prog="layers_check", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=",".join(workloads.ALL), type=command.names_of(workloads.ALL), metavar="NAMES",
                        help=f"some of {', '.join(workloads.ALL)} (default: all)")
    parser.add_argument("--rounds", type=command.positive, default=5, help="rounds of each model (default: 5)")
    parser.add_argument("--seconds", type=float, default=3.0, help="minimum of a round, and at least 3 steps (default: 3)")
    parser.add_argument("--tolerance", type=float, default=10.0, metavar="PERCENT", help="(default: 10)")
    command.add_out(parser, "layers_check")
    parser.add_argument("--build", type=Path, default=machine.ROOT / "build", metavar="DIR",
                        help="build folder of ddlbench (default: build)")
    return command.completed(parser.parse_args(), ("ddlbench",))


def step_of(arguments):
    return DdlbenchSide(arguments.build / "ddlbench", arguments.out / "runs", 1, THREADS)


def measure_rounds(model, arguments):
    """Returns a row for each round: seconds of the steps and of the layers."""
    workload = replace(workloads.ALL[model], settings={})
    step = step_of(arguments)
    steps = rounds.steps_for(arguments.seconds, step.measure(workload, "fp32", 3).step_seconds)
    rows = []
    for number in range(1, arguments.rounds + 1):
        load = os.getloadavg()[0]
        measured = step.measure(workload, "fp32", steps)
        timed = layers.rows(step.binary, workload, THREADS, arguments.out)
        rows.append({"model": model, "round": number, "steps": steps, "step_seconds": measured.step_seconds,
                     "forward_and_backward_seconds": measured.parts["forward"] + measured.parts["backward"],
                     "layers_seconds": sum(forward + backward for _, forward, backward in timed), "load_average": load})
        print(f"{model}, round {number}: forward and backward of a step {rows[-1]['forward_and_backward_seconds']:.4g} s, "
              f"sum of layers {rows[-1]['layers_seconds']:.4g} s", file=sys.stderr, flush=True)
    return rows


def ratio(rows):
    return paired([row["layers_seconds"] for row in rows], [row["forward_and_backward_seconds"] for row in rows])


def table_row(rows):
    milliseconds = [f"{median([row[name] for row in rows]) * 1e3:.1f}"
                    for name in ("step_seconds", "forward_and_backward_seconds", "layers_seconds")]
    return [rows[0]["model"], *milliseconds, f"**{tables.bounded(ratio(rows))}**"]


def write(held, arguments):
    """Writes the results. Returns the table."""
    workload = workloads.ALL[arguments.models[0]]
    environment = machine.environment(arguments.build / "ddlbench", arguments, {}, {
        "step": launch.written(step_of(arguments).command(workload, "fp32")),
        "layers": launch.written(layers.command(arguments.build / "ddlbench", workload, THREADS))})
    text = tables.markdown(["model, fp32", "step, ms", "its forward and backward", "sum of layers", "sum / forward and backward"],
                           [table_row(rows) for rows in held])
    loads = [row["load_average"] for rows in held for row in rows]
    text += "\n" + tables.conditions(environment, arguments.rounds, loads)
    tables.write_csv(arguments.out / "rounds.csv", [row for rows in held for row in rows])
    tables.write(arguments.out, text, environment)
    return text


def main():
    arguments = parse()
    held, text = [], ""
    try:
        for model in arguments.models:
            held.append(measure_rounds(model, arguments))
            text = write(held, arguments)
    except launch.Failed as error:
        print(f"layers_check: {error}", file=sys.stderr)
        return 1
    print(text)
    off = [rows[0]["model"] for rows in held if abs(ratio(rows).value - 1) * 100 > arguments.tolerance]
    if off:
        print(f"layers_check: deviates by more than {arguments.tolerance:g} %: {', '.join(off)}", file=sys.stderr)
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
