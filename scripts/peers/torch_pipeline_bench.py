"""Compares pipelines: ddlbench's schedules on two ranks of one thread over MPI with those of
torch.distributed.pipelining over gloo on two processes of one thread, for GPT-2 small.

For each schedule there are rounds in which all take turns, each time in fresh processes, as in torch_bench. PyTorch runs
eagerly, as it is by default (stock), and with raised thresholds of the allocator and a fused optimizer (tuned). The
tables also have ddlbench's measured and predicted bubble: the median over rounds of the ranks' mean share of a step. See
docs/performance.md.

Exit codes: 0 measured; 1 one side failed; 2 usage; 77 there is no torch.
"""

import sys
from dataclasses import replace

from versus import command, tables, workloads
from versus.comparison import Comparison, compare_all
from versus.sides import DdlbenchSide, TorchSide

RANKS = 2
OURS, STOCK, THEIRS = 0, 1, 2
MODEL = "gpt2-small"
SCHEDULES = {"gpipe": "GPipe", "1f1b": "1F1B", "interleaved": "Interleaved1F1B", "zb_h1": "InterleavedZeroBubble",
             "zb_v": "ZBVZeroBubble"}  # ours, and PyTorch's


def bubble(one, predicted):
    """Returns the share of a step in which a rank waits; None if a round has no prediction."""
    part = "predicted_bubble" if predicted else "bubble"

    def share(measured):
        return measured.parts[part] / (measured.parts["predicted_step"] if predicted else measured.step_seconds)

    has_parts = all(part in held.measured[OURS].parts for held in one.rounds)
    return one.median_of(lambda held: share(held.measured[OURS])) if has_parts else None


def percent(share):
    return "none" if share is None else f"{share:.1%}"


def summary_row(one):
    return {"model": one.workload.model, "precision": one.precision, "schedule": one.schedule,
            "torch_schedule": SCHEDULES[one.schedule], "rounds": len(one.rounds), "unit": one.workload.unit,
            "microbatches": one.workload.settings["microbatches"],
            "ours_per_second": one.rate(OURS), "torch_per_second": one.rate(THEIRS),
            "torch_stock_per_second": one.rate(STOCK),
            **tables.columns("ratio", one.speedup(OURS, THEIRS)),
            **tables.columns("stock_ratio", one.speedup(OURS, STOCK)),
            "interval_confidence": one.speedup(OURS, THEIRS).confidence,
            "ours_peak_resident_bytes": one.resident(OURS), "torch_peak_resident_bytes": one.resident(THEIRS),
            "torch_stock_peak_resident_bytes": one.resident(STOCK),
            **tables.columns("memory_ratio", one.memory(OURS, THEIRS)),
            **tables.columns("stock_memory_ratio", one.memory(OURS, STOCK)),
            "bubble": bubble(one, False), "predicted_bubble": bubble(one, True)}


def row(one):
    return [one.schedule, SCHEDULES[one.schedule], f"{tables.number(one.rate(OURS))} {one.workload.unit}/s",
            tables.number(one.rate(STOCK)), f"**{tables.bounded(one.speedup(OURS, STOCK))}**",
            tables.number(one.rate(THEIRS)), f"**{tables.bounded(one.speedup(OURS, THEIRS))}**",
            tables.gigabytes(one.resident(OURS)), tables.gigabytes(one.resident(STOCK)),
            f"**{tables.bounded(one.memory(OURS, STOCK))}**", tables.gigabytes(one.resident(THEIRS)),
            f"**{tables.bounded(one.memory(OURS, THEIRS))}**", percent(bubble(one, False)), percent(bubble(one, True)),
            *tables.probes(one)]


def text_of(held):
    peers = ["stock", "ddlbench / stock", "tuned", "ddlbench / tuned"]
    return tables.markdown(["schedule", "PyTorch's", "ddlbench", *peers, "ddlbench, peak resident GB", *peers,
                            "ddlbench's bubble", "predicted", "matmul GFLOP/s", "copy GB/s"], [row(one) for one in held])


def main():
    parser = command.parser_of("torch_pipeline_bench", __doc__, [MODEL])
    parser.add_argument("--schedules", default=",".join(SCHEDULES), type=command.names_of(SCHEDULES), metavar="NAMES",
                        help=f"some of {', '.join(SCHEDULES)} (default: all)")
    parser.add_argument("--microbatches", type=command.positive, default=4, metavar="N",
                        help="micro-batches of a step (default: 4)")
    parser.set_defaults(precision=["fp32"])
    arguments = command.completed(command.shortened(parser.parse_args()))
    if arguments.models != [MODEL]:
        parser.error(f"only {MODEL} is compared")
    if arguments.quick:
        arguments.schedules = arguments.schedules[:1]
    pythons = command.pythons(arguments.python)

    def make(schedule):
        workload = replace(workloads.ALL[MODEL], settings={"microbatches": arguments.microbatches})
        ours = DdlbenchSide(arguments.build / "ddlbench", arguments.out / "runs", RANKS, 1, "mpi", schedule)
        theirs = [TorchSide(python, torch, stock=stock, ranks=RANKS, threads=1, schedule=SCHEDULES[schedule])
                  for python, (torch, _) in pythons.items() for stock in (True, False)]
        return Comparison(workload, "fp32", [ours], theirs, arguments, schedule, stock_in_rounds=True)

    return compare_all(arguments, pythons, [(schedule,) for schedule in arguments.schedules], make, summary_row, text_of)


if __name__ == "__main__":
    sys.exit(main())
