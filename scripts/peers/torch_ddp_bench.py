"""Compares data-parallel training: ddlbench's `ddp` on two ranks of one thread, over both transports, with PyTorch's
DDP over gloo on two processes of one thread, and with ddlbench's own single rank of two threads.

The method is that of torch_bench: a tournament for PyTorch's best way, then rounds in which all take turns, each time
in fresh processes. See docs/performance.md.

Exit codes: 0 measured; 1 one side failed; 2 usage; 77 there is no torch.
"""

import sys
from dataclasses import replace
from itertools import product

from versus import command, tables, tournament, workloads
from versus.comparison import Comparison, compare_all
from versus.sides import DdlbenchSide

RANKS = 2
THREADS, MPI, SINGLE, THEIRS = 0, 1, 2, 3
MODELS = ("vgg16", "resnet50")
PARTS = ("forward", "backward", "communication", "bubble", "optimizer")  # of a step; the others are negligible


def summary_row(one):
    row = {"model": one.workload.model, "precision": one.precision, "rounds": len(one.rounds), "unit": one.workload.unit,
           "ddp_threads_per_second": one.rate(THREADS), "ddp_mpi_per_second": one.rate(MPI),
           "single_per_second": one.rate(SINGLE), "torch_ddp_per_second": one.rate(THEIRS),
           "torch_stock_per_second": one.stock_rate() or "", "torch_way": one.best.name}
    for name, side in (("threads", THREADS), ("mpi", MPI)):
        row.update(tables.columns(f"{name}_over_torch", one.speedup(side, THEIRS)))
        row.update(tables.columns(f"{name}_over_single", one.speedup(side, SINGLE)))
        row.update(tables.columns(f"{name}_memory_ratio", one.memory(side, THEIRS)))
    return {**row, "interval_confidence": one.speedup(THREADS, THEIRS).confidence}


def speed_rows(one):
    stock = one.stock_rate()
    for name, side in (("threads", THREADS), ("mpi", MPI)):
        yield [one.workload.model, one.precision, name, f"{tables.number(one.rate(side))} {one.workload.unit}/s",
               tables.number(one.rate(SINGLE)), tables.number(one.rate(THEIRS)), one.best.name,
               tables.number(stock) if stock else "none", f"**{tables.bounded(one.speedup(side, SINGLE))}**",
               f"**{tables.bounded(one.speedup(side, THEIRS))}**", *tables.probes(one)]


def memory_rows(one):
    for name, side in (("threads", THREADS), ("mpi", MPI)):
        yield [one.workload.model, one.precision, name, tables.gigabytes(one.resident(side)),
               tables.gigabytes(one.resident(THEIRS)), f"**{tables.bounded(one.memory(side, THEIRS))}**"]


def part_rows(one):
    for side in (SINGLE, THREADS, MPI):
        step = one.median_of(lambda held, side=side: held.measured[side].step_seconds)
        yield [one.workload.model, one.precision, one.names()[side],
               *(f"{seconds * 1e3:.1f}" for seconds in (step, *(one.part_seconds(side, part) for part in PARTS)))]


def text_of(held):
    return (tables.markdown(["model", "precision", "transport", "ddp, 2 × 1", "single, 1 × 2", "PyTorch's DDP", "its best configuration",
                             "stock", "ddp / single", "ddp / PyTorch's DDP", "matmul GFLOP/s", "copy GB/s"],
                            [row for one in held for row in speed_rows(one)])
            + "\n" + tables.markdown(["model", "precision", "side", "step, ms", *PARTS],
                                     [row for one in held for row in part_rows(one)])
            + "\n" + tables.markdown(["model", "precision", "transport", "ddp, peak resident GB", "PyTorch's DDP",
                                      "ddp / PyTorch's DDP"], [row for one in held for row in memory_rows(one)]))


def main():
    parser = command.parser_of("torch_ddp_bench", __doc__, MODELS)
    parser.add_argument("--precision", default="fp32", type=command.names_of(workloads.PRECISIONS), metavar="NAMES",
                        help="fp32 (default), bf16 or both")
    arguments = command.completed(command.shortened(parser.parse_args()))
    pythons = command.pythons(arguments.python)
    binary, folder = arguments.build / "ddlbench", arguments.out / "runs"
    ours = [DdlbenchSide(binary, folder, RANKS, 1, "threads"), DdlbenchSide(binary, folder, RANKS, 1, "mpi"), DdlbenchSide(binary, folder, 1, RANKS)]

    def make(model, precision):
        workload = replace(workloads.ALL[model].over(RANKS), settings={})
        theirs = tournament.ways_of_all(pythons, workload, precision, RANKS, 1, arguments.out / "inductor")
        return Comparison(workload, precision, ours, theirs, arguments)

    return compare_all(arguments, pythons, product(arguments.models, arguments.precision), make, summary_row, text_of)


if __name__ == "__main__":
    sys.exit(main())
