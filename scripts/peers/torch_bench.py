"""Compares a training step of ddlbench with PyTorch's best on the same two cores.

For each model and precision a short tournament finds the fastest way to run PyTorch here. Then ddlbench and PyTorch,
run in that way, take turns, each time in a fresh process, with two probes of the machine before each round. Prints the
median of the rounds' ratios. See docs/performance.md.

Exit codes: 0 measured; 1 one side failed; 2 usage; 77 there is no torch.
"""

import sys
from itertools import product

from versus import command, tables, tournament, workloads
from versus.comparison import Comparison, compare_all
from versus.sides import DdlbenchSide

THREADS = 2
OURS, THEIRS = 0, 1


def summary_row(one):
    speed, memory, share = one.speedup(OURS, THEIRS), one.memory(OURS, THEIRS), one.share_of_peak(OURS)
    return {"model": one.workload.model, "precision": one.precision, "rounds": len(one.rounds),
            "unit": one.workload.unit, "settings": one.workload.settings_text,
            "ours_per_second": one.rate(OURS), "torch_per_second": one.rate(THEIRS),
            "torch_stock_per_second": one.stock_rate() or "", "torch_way": one.best.name,
            **tables.columns("ratio", speed), "interval_confidence": speed.confidence,
            "handed_out_bytes": one.handed_out(OURS),
            "ours_peak_resident_bytes": one.resident(OURS), "torch_peak_resident_bytes": one.resident(THEIRS),
            **tables.columns("memory_ratio", memory), **tables.columns("share_of_matmul_peak", share)}


def speed_row(one):
    stock = one.stock_rate()
    return [one.workload.model, one.precision, f"{tables.number(one.rate(OURS))} {one.workload.unit}/s",
            tables.number(one.rate(THEIRS)), one.best.name, tables.number(stock) if stock else "none",
            f"**{tables.bounded(one.speedup(OURS, THEIRS))}**", tables.bounded(one.share_of_peak(OURS)),
            *tables.probes(one)]


def memory_row(one):
    sizes = [one.handed_out(OURS), one.resident(OURS), one.resident(THEIRS)]
    return [one.workload.model, one.precision, one.workload.settings_text, *map(tables.gigabytes, sizes),
            f"**{tables.bounded(one.memory(OURS, THEIRS))}**"]


def text_of(held):
    return (tables.markdown(["model", "precision", "ddlbench", "PyTorch", "its best configuration", "stock", "ddlbench / PyTorch",
                             "share of matmul peak", "matmul GFLOP/s", "copy GB/s"], [speed_row(one) for one in held])
            + "\n" + tables.markdown(["model", "precision", "settings", "planned and handed out, GB",
                                      "peak resident, GB", "PyTorch's", "ddlbench / PyTorch"],
                                     [memory_row(one) for one in held]))


def main():
    parser = command.parser_of("torch_bench", __doc__, list(workloads.ALL))
    parser.add_argument("--precision", default=",".join(workloads.PRECISIONS),
                        type=command.names_of(workloads.PRECISIONS), metavar="NAMES", help="fp32, bf16 or both (default)")
    arguments = command.completed(command.shortened(parser.parse_args()))
    pythons = command.pythons(arguments.python)
    ours = DdlbenchSide(arguments.build / "ddlbench", arguments.out / "runs", 1, THREADS)

    def make(model, precision):
        workload = workloads.ALL[model]
        theirs = tournament.ways_of_all(pythons, workload, precision, 1, THREADS, arguments.out / "inductor")
        return Comparison(workload, precision, [ours], theirs, arguments)

    return compare_all(arguments, pythons, product(arguments.models, arguments.precision), make, summary_row, text_of)


if __name__ == "__main__":
    sys.exit(main())
