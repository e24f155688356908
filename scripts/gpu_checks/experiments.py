"""Checks that are experiments. Their results come from ddlbench's own records."""

import collections
import csv
import json
import os
import re
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import figures
from processes import OutOfTime

TINY_GPT = {"model": {"kind": "tiny-gpt", "layers": 16, "heads": 8, "hidden": 64}, "global_batch": 32,
            "dataset": {"kind": "text", "path": "docs/results.md", "sequence_length": 32}}
LENET = {"model": "lenet", "global_batch": 64, "dataset": {"kind": "synthetic", "shape": "1x28x28"}}
RESNET50 = {"model": "resnet50", "global_batch": 128,
            "dataset": {"kind": "synthetic", "shape": "3x224x224", "classes": 1000, "keep": True, "train_samples": 256,
                        "validation_samples": 128}}
GPT2_SMALL = {"model": {"kind": "gpt2-small", "dropout": 0.0}, "global_batch": 8,
              "dataset": {"kind": "synthetic-text", "sequence_length": 1024, "train_samples": 16, "validation_samples": 8}}

VERIFIED_AT_A_TIME = max(1, min(6, (os.cpu_count() or 1) // 2))
TURNS = threading.BoundedSemaphore(VERIFIED_AT_A_TIME)  # also of several checks that run side by side

HYBRIDS = {
    2: [{"mesh": {"data": 2}, "zero": 1}],
    4: [{"mesh": {"data": 2, "tensor": 2}}, {"mesh": {"data": 2, "pipeline": 2}, "schedule": "1f1b", "zero": 1},
        {"mesh": {"tensor": 2, "pipeline": 2}, "schedule": "interleaved"}],
    8: [{"mesh": {"data": 2, "tensor": 4}}, {"mesh": {"data": 4, "pipeline": 2}, "schedule": "1f1b", "zero": 1},
        {"mesh": {"data": 2, "tensor": 2, "pipeline": 2}}],
}


def experiment(name, workload, strategies, ranks, transport, verify_steps=5, **training):
    return {"name": name, "workload": workload, "strategies": strategies,
            "training": {"seed": 1, "optimizer": {"kind": "sgd", "learning_rate": 0.01, "momentum": 0.9}, **training},
            "devices": {"kind": "cuda", "transport": transport, "ranks": [ranks]},
            "measure": {"verify_steps": verify_steps, "interleave": False}}


def every_strategy(ranks):
    """Returns experiments with every strategy on a transformer, and with those that fit the number of ranks on
    convolutions."""
    balanced = {"kind": "balanced", "speeds": [2, *[1] * (ranks - 1)]}
    sharded = ["ddp", "lbann", "horovod", "priority", "hierarchical", balanced, "power_sgd", "local_sgd", "gossip",
               *({"kind": "zero", "stage": stage} for stage in (1, 2, 3))]
    pipelines = [{"kind": kind, "microbatches": 8} for kind in
                 ("gpipe", "1f1b", "interleaved", "zb_h1", "zb_h2", "zb_auto", "zb_v", "v_half", "v_min", "hanayo", "chimera", "gems",
                  "naive")]
    # Without flush, ranks of the pipeline cannot share the embedding.
    untied = {**TINY_GPT, "model": {**TINY_GPT["model"], "tied": False}}
    hybrids = [{"kind": "hybrid", "microbatches": 8, **hybrid} for hybrid in HYBRIDS[ranks]]
    images = [*sharded, "compressed"] + (["tensor", "gpipe", "1f1b"] if ranks <= 4 else [])
    # The signs of a transformer's many small gradients depend on rounding: with one bit, a certificate proves nothing.
    top_k = {"kind": "compressed", "codec": "top_k"}
    parts = {"data": ["single", *sharded, top_k, "fsdp", "tensor"], "pipelines": pipelines, "hybrids": hybrids}
    without_flush = ["pipedream", "spectrain", "pipemare", "pipedream_2bw"]
    return [experiment(f"gpu-strategies-{ranks}-untied-gpt", untied, without_flush, ranks, "threads"),
            *(experiment(f"gpu-strategies-{ranks}-tiny-gpt-{part}", TINY_GPT, some, ranks, "threads")
              for part, some in parts.items()),
            experiment(f"gpu-strategies-{ranks}-lenet", LENET, images, ranks, "threads")]


def over_nccl(gpus):
    return [experiment(f"gpu-nccl-{gpus}", TINY_GPT, ["ddp", {"kind": "zero", "stage": 3}, "tensor"], gpus, "nccl")]


def few_steps(name, workload, precision):
    """Returns an experiment on one rank, which shows that all its kernels bind and that steps are finite."""
    whole = experiment(name, workload, ["single"], 1, "threads", verify_steps=0, precision=precision, epochs=1)
    whole["measure"].update(warmup_steps=3, steps=5, repetitions=1)
    return [whole]


PRECISIONS = {"tf32": {}, "bf16": {}, "fp16": {"loss_scale": {"kind": "dynamic", "initial": 1024}}}
# Rounding changes which values are the maxima of pools. In small batches a certificate in 16 bits would prove nothing.
LARGE_LENET = {**LENET, "global_batch": 4096}


def every_precision(ranks):
    """Returns experiments in each precision except fp32: a strategy of each family, on a transformer and on
    convolutions."""
    families = ["ddp", {"kind": "zero", "stage": 3}, "tensor", {"kind": "1f1b", "microbatches": 8}]
    return [experiment(f"gpu-{precision}-{ranks}-{model}", workload, families, ranks, "threads", precision=precision,
                       **options)
            for precision, options in PRECISIONS.items()
            for model, workload in (("tiny-gpt", TINY_GPT), ("lenet", LARGE_LENET))]


def strategies_of(listing):
    """Returns the names below `strategies` in the output of `ddlbench list`."""
    lines = listing.splitlines()
    section = lines[lines.index("strategies") + 1:]
    names = []
    for line in section:
        if line and not line.startswith(" "):
            break
        if line.startswith("  ") and not line.startswith("   "):
            names.append(line.strip().split(":")[0])
    return names


def result_of(rows, certified=True):
    """Returns the result for rows of cases.csv. It failed unless each case ran on a GPU and, if `certified`, is
    certified."""
    if not rows:
        return figures.failed("there is no case")
    for row in rows:
        name = row["case_id"]
        if row["status"] != "ok":
            return figures.failed(f"{name} is {row['status']}: {row['status_reason']}")
        if row["device"] != "cuda" or not row["device_name"]:
            return figures.failed(f"{name} ran on {row['device'] or 'nothing'} '{row['device_name']}'")
        if certified and row["certified"] != "true":
            return figures.failed(f"{name} is not certified: {row['certificate_reason']}")
        if row.get("step_seconds") and not float(row.get("launches_per_rank_per_step") or 0) > 0:
            return figures.failed(f"{name} launched nothing on its device")
    figure = f"{len(rows)} of {len(rows)} cases {'certified' if certified else 'ran'}"
    timed = [row for row in rows if row.get("step_seconds")]
    if timed:
        best = min(timed, key=lambda row: float(row["step_seconds"]))
        figure += (f"; best step {float(best['step_seconds']) * 1e3:.3g} ms: {best['strategy']} on {best['ranks']}, "
                   f"{best.get('launch_mode') or 'launch mode unknown'}")
    kept = ("case_id", "strategy", "ranks", "device_name", "launch_mode", "step_seconds", "samples_per_second",
            "certificate_loss_max_rel_error", "certificate_gradient_max_rel_error", "certificate_update_max_rel_error")
    return figures.run(figure, cases=[{key: row[key] for key in kept if key in row} for row in rows])


def rows_of(folder):
    """Returns the rows of cases.csv that have been written; none if there is no file yet."""
    path = folder / "cases.csv"
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def parts_of_step(folder):
    """Returns the milliseconds of the nodes of a recorded step, the longest first. Nodes whose names differ in numbers
    alone count as one."""
    parts = collections.Counter()
    for path in (folder / "trace").glob("*.json"):
        for event in json.loads(path.read_text(encoding="utf-8"))["traceEvents"]:
            if event["ph"] == "X" and event.get("cat") != "input":  # the host prepares inputs during the step before
                parts[re.sub(r"\d+", "*", event["name"])] += 1e-3 * event["dur"]
    return {name: round(milliseconds, 3) for name, milliseconds in parts.most_common()}


def ddlbench(context, name, *words):
    """Runs the command with records in a folder of that name. Returns the rows of its cases."""
    folder = context.scratch / name
    shutil.rmtree(folder, ignore_errors=True)  # of an earlier run; ddlbench rejects a folder that is not empty
    try:
        said, code = context.runner([context.program("ddlbench"), *words, "--output", folder, "--quiet"])
    except OutOfTime as late:
        well = [row["case_id"] for row in rows_of(folder) if row["status"] == "ok"]
        raise OutOfTime(name, f"ok until then: {', '.join(well) or 'no case'}") from late
    if not rows_of(folder):
        raise ValueError(f"ddlbench ended with {code}: {said.strip()[-300:]}")
    return rows_of(folder)


@dataclass(frozen=True)
class Experiments:
    """Whole experiments, of which only the certificates are needed (`verify`), or measurements, too (`run`)."""
    experiments: list
    command: str = "verify"
    certified: bool = True
    every_strategy: bool = False

    def left_out(self, context):
        """Returns ddlbench's strategies that these experiments lack, if they must have every one."""
        if not self.every_strategy:
            return []
        said, _ = context.runner([context.program("ddlbench"), "list"])
        covered = {one if isinstance(one, str) else one["kind"] for whole in self.experiments for one in whole["strategies"]}
        return [name for name in strategies_of(said) if name not in covered]

    def configs(self, context):
        for one in self.experiments:
            path = context.scratch / f"{one['name']}.json"
            path.write_text(json.dumps(one, indent=2) + "\n", encoding="utf-8")
            yield one["name"], path

    def run(self, context):
        left_out = self.left_out(context)
        if left_out:
            return figures.failed(f"no experiment here has the strategies {', '.join(left_out)}")
        found = self.together(lambda one: ddlbench(context, one[0], self.command, "--config", one[1]),
                              list(self.configs(context)), context.runner)
        result = result_of([row for rows in found for row in rows], self.certified)
        if self.command == "run":
            result["details"]["milliseconds"] = {one["name"]: parts_of_step(context.scratch / one["name"]) for one in self.experiments}
        return result

    def together(self, run, configs, runner):
        """Returns run(config) of each; of several at a time if nothing is timed, because a case mostly waits for its
        start."""
        def in_turn(config):
            with TURNS:
                return run(config)
        with ThreadPoolExecutor(1 if self.command == "run" else VERIFIED_AT_A_TIME) as pool:
            try:
                return list(pool.map(in_turn, configs))
            except BaseException:  # a signal, or one that failed: the pool would wait for the others
                pool.shutdown(wait=False, cancel_futures=True)
                runner.end_all()
                raise

    def rehearse(self, context):
        left_out = self.left_out(context)
        if left_out:
            raise ValueError(f"no experiment here has the strategies {', '.join(left_out)}")
        return ", ".join(dry_run(context, name, "--config", path) for name, path in self.configs(context))


@dataclass(frozen=True)
class Config:
    """An experiment in configs/, on GPUs."""
    name: str
    data: tuple  # paths to try for its data set; an archive of scripts/gpu_pack has the text, but not Fashion-MNIST

    def words(self, context):
        """Returns the arguments for ddlbench; None if the data set is not here."""
        for path in (context.root / data for data in self.data):
            if path.exists():
                return ["--config", f"configs/{self.name}.json", "--set", "/devices/kind=cuda",
                        "--set", f"/workload/dataset/path={path}"]
        return None

    def run(self, context):
        words = self.words(context)
        if words is None:
            return figures.not_run(f"there is no {self.data[0]} here")
        return result_of(ddlbench(context, f"gpu-{self.name}", *words))

    def rehearse(self, context):
        words = self.words(context)
        return dry_run(context, f"configs/{self.name}.json", *words) if words else f"nothing: there is no {self.data[0]} here"


def dry_run(context, name, *words):
    said, code = context.runner([context.program("ddlbench"), *words, "--dry-run"])
    if code != 0:
        raise ValueError(f"{name}: {said.strip()[-300:]}")
    cases = [line for line in said.splitlines() if line[:3].isdigit()]
    return f"{len(cases)} case{'' if len(cases) == 1 else 's'} of {name}"
