"""Writes synthetic tables of a run: the columns of cases.csv, ranks.csv and epochs.csv that scripts/plot reads, with values
that grow and shrink as those of a real run do."""

import csv
import itertools

STRATEGIES = ["single", "ddp", "zero stage=3", "fsdp", "tensor", "gpipe microbatches=4", "interleaved microbatches=8 chunks=2",
              "hybrid mesh=data2xpipeline2 schedule=1f1b zero=1 microbatches=4"]
PARTS = "forward backward recompute optimizer communication bubble input rest".split()
CLASSES = "parameters gradients optimizer_state activations workspace communication inputs statistics".split()


def write(path, rows):
    columns = list(dict.fromkeys(column for row in rows for column in row))
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)


def step_of(number, ranks, batch, precision, seed):
    """Returns a step time that no two cases share."""
    return 1e-3 * batch / ranks**0.7 * (1 + 0.11 * number) * (0.7 if precision == "bf16" else 1) * (1 + 0.013 * seed)


def case_row(sweep, number, strategy, ranks, batch, precision, seed, threads):
    step = step_of(number, ranks, batch, precision, seed) * (1.3 if threads == 1 else 1)
    base = step_of(0, 1, batch, precision, seed)
    contract = f"{sweep.name}-{batch}-{precision}"
    row = {"schema_version": "2", "experiment": sweep.name, "contract_id": f"{contract}-{seed}",
           "scaling_id": f"{sweep.name}-{precision}-{seed}", "seed": seed, "status": "ok", "workload": sweep.workload,
           "dataset": sweep.dataset, "strategy": strategy, "promise": "exact", "ranks": ranks, "threads_per_rank": threads,
           "oversubscribed": "true" if ranks > 4 else "false", "transport": "threads", "device": "cpu",
           "precision": precision, "optimizer": "sgd", "global_batch": batch, "epoch_seconds": 100 * step,
           "step_seconds": step, "step_seconds_low": 0.97 * step, "step_seconds_high": 1.05 * step,
           "speedup_ratio": base / step, "speedup_low_ratio": 0.95 * base / step, "speedup_high_ratio": 1.04 * base / step,
           "efficiency_ratio": base / step / ranks, "verdict": "" if number == 0 else "faster",
           "peak_memory_bytes": "", "certified": "true", "certificate_update_max_rel_error": "1e-7",
           "predicted_step_seconds": 1.1 * step, "replicate_id": contract, "target": sweep.target}
    row |= {f"budget_{part}_seconds": step * share for part, share in zip(PARTS, (0.2, 0.4, 0, 0.05, 0.15, 0.1, 0.08, 0.02))}
    if (strategy, ranks, batch) in sweep.failures:
        row = {column: "" if column.endswith(("_seconds", "_ratio", "_low", "_high", "_error")) else cell
               for column, cell in row.items()}
        row |= {"status": sweep.failures[strategy, ranks, batch], "certified": ""}
    return row


class Sweep:
    """The cases of all combinations, in a folder. `failures` are {(strategy, ranks, batch): status}. With `per_rank`, batches
    are those of a rank. With `instant`, ranks.csv has the classes at the peak."""

    def __init__(self, name="sweep", workload="resnet18", dataset="cifar10", strategies=STRATEGIES, ranks=(1, 2, 4, 8),
                 batches=(64,), precisions=("fp32",), seeds=(1,), threads=(2,), epochs=3, failures=None, per_rank=False,
                 target="accuracy 0.8", instant=True):
        self.name, self.workload, self.dataset, self.target = name, workload, dataset, target
        self.failures = failures or {}
        self.cases, self.ranks, self.epochs = [], [], []
        for precision, batch, threads_, seed, (number, strategy), count in itertools.product(
                precisions, batches, threads, seeds, enumerate(strategies), ranks):
            if (strategy.split()[0] == "single") != (count == 1) and not per_rank:
                continue
            self.add(case_row(self, number, strategy, count, batch * count if per_rank else batch, precision, seed, threads_),
                     number, epochs, instant)

    def add(self, row, number, epochs, instant):
        row["case_id"] = f"{len(self.cases) + 1:03d}-{row['strategy'].split()[0]}-r{row['ranks']}"
        self.cases.append(row)
        if row["status"] != "ok":
            return
        row["peak_memory_bytes"] = 2**20 * row["global_batch"] * sum(range(1, len(CLASSES) + 1)) // row["ranks"] * 6 // 10
        for rank in range(row["ranks"]):
            peaks = {name: (2**20 * row["global_batch"] * (i + 1)) // row["ranks"] for i, name in enumerate(CLASSES)}
            self.ranks.append({"case_id": row["case_id"], "rank": rank} | {f"peak_{n}_bytes": b for n, b in peaks.items()} |
                              ({f"at_peak_{n}_bytes": b // 2 for n, b in peaks.items()} if instant else {}))
        for epoch in range(1, epochs + 1):
            self.epochs.append({"case_id": row["case_id"], "epoch": epoch, "elapsed_seconds": epoch * row["epoch_seconds"],
                                "accuracy_ratio": 0.9 - 0.5 / (epoch + 0.1 * number + 0.07 * row["seed"])})

    def write(self, folder):
        folder.mkdir(parents=True)
        write(folder / "cases.csv", self.cases)
        if self.ranks:
            write(folder / "ranks.csv", self.ranks)
        if self.epochs:
            write(folder / "epochs.csv", self.epochs)
        return folder
