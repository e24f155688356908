"""Compares the times of a model's layers in ddlbench with those in PyTorch.

Started by scripts/peers/torch_layers, which finds a Python that has torch. `ddlbench layers` and PyTorch take turns;
the minimum of each time counts. PyTorch runs eagerly, with channels last if that is faster for the whole network. What
it computes in a separate node (a ReLU, a residual sum) counts towards the layer before it if ddlbench fuses it. See
docs/performance.md.

Exit codes: 0 measured; 1 one side failed; 2 usage; 77 there is no torch.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

import torch

from torch_peer import layers, speed
from versus import launch, tables, workloads
from versus import layers as own_layers

ROOT = Path(__file__).resolve().parents[2]


def torch_rows(workload, names, last):
    torch.manual_seed(1)
    network = speed.network_of({"model": workload.model, "unit": workload.unit}).train()
    told = {"model": workload.model, "unit": workload.unit, "units_per_sample": workload.units_per_sample}
    values, labels = speed.batch_of(told, workload.batch)
    if last:
        network, values = (one.to(memory_format=torch.channels_last) for one in (network, values))
    return layers.measure(network, values, labels, names)


def layer_of(name, known, before):
    """Returns PyTorch's layer for a row of ddlbench: its own, the one that it is a part of, or the one before."""
    parent = name.rpartition(".")[0]
    return name if name in known else parent if parent in known else before


def least(runs):
    return {name: [min(run[name][half] for run in runs) for half in (0, 1)] for name in runs[0]}


def grouped(rows, known):
    total, before = {}, next(iter(known))
    for name, forward, backward in rows:
        before = layer_of(name, known, before)
        sums = total.setdefault(before, [0.0, 0.0])
        sums[0] += forward
        sums[1] += backward
    return total


def whole(times):
    return sum(map(sum, times.values()))


def table(own, theirs):
    head = f"{'layer':<24} {'forward ms':>11} {'PyTorch':>9} {'backward ms':>12} {'PyTorch':>9} {'ratio':>6}"
    lines = [head]
    zero = [0.0, 0.0]
    shown = {**own, "sum": [sum(one[half] for one in own.values()) for half in (0, 1)]}
    beside = {**theirs, "sum": [sum(one[half] for one in theirs.values()) for half in (0, 1)]}
    for name, (forward, backward) in shown.items():
        their_forward, their_backward = beside.get(name, zero)
        ratio = (their_forward + their_backward) / max(forward + backward, 1e-9)
        lines.append(f"{name:<24} {forward * 1e3:11.3f} {their_forward * 1e3:9.3f} {backward * 1e3:12.3f} "
                     f"{their_backward * 1e3:9.3f} {ratio:6.2f}")
    return "\n".join(lines)


def parse():
    parser = argparse.ArgumentParser(prog="torch_layers", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=workloads.ALL)
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each side (default: 3)")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write the table as CSV")
    parser.add_argument("--ddlbench", default=ROOT / "build" / "ddlbench", type=Path, metavar="FILE",
                        help="the binary (default: build/ddlbench)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="threads of each side")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds: at least 1")
    if not arguments.ddlbench.is_file():
        parser.error(f"there is no {arguments.ddlbench}: build it, or name it with --ddlbench")
    return arguments


def main():
    launch.end_with_children()
    arguments = parse()
    torch.set_num_threads(arguments.threads)
    workload = workloads.ALL[arguments.model]
    layouts = [False] if workload.is_text else [False, True]
    own_runs, torch_runs = [], {last: [] for last in layouts}
    with tempfile.TemporaryDirectory(prefix="torch_layers-") as folder:
        for _ in range(arguments.rounds):
            rows = own_layers.rows(arguments.ddlbench, workload, arguments.threads, Path(folder))
            names = {name for name, *_ in rows}
            for last in layouts:
                torch_runs[last].append(torch_rows(workload, names, last))
            own_runs.append(grouped(rows, torch_runs[False][0]))
    own = least(own_runs)
    best = min(({"last": last, "times": least(runs)} for last, runs in torch_runs.items()),
               key=lambda one: whole(one["times"]))
    theirs = best["times"]
    size = f"{workload.batch} x {workload.units_per_sample}" if workload.is_text else f"{workload.batch} x 3x224x224"
    print(f"{workload.model}, {size}, fp32, {arguments.threads} threads; PyTorch {torch.__version__}, eager"
          f"{', channels last' if best['last'] else ''}; the minimum of {arguments.rounds} rounds; ratio: PyTorch's time to "
          f"ddlbench's\n\n{table(own, theirs)}")
    if arguments.csv:
        tables.write_csv(arguments.csv, [
            {"layer": name, "forward_seconds": times[0], "backward_seconds": times[1],
             "torch_forward_seconds": theirs.get(name, [0, 0])[0], "torch_backward_seconds": theirs.get(name, [0, 0])[1]}
            for name, times in own.items()])
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except launch.Failed as error:
        print(f"torch_layers: {error}", file=sys.stderr)
        sys.exit(1)
