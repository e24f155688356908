"""Checks that are experiments: what ddlbench's own records say of them."""

import csv
import json
import os
import shutil
import subprocess

import figures

TINY_GPT = {"model": {"kind": "tiny-gpt", "layers": 16, "heads": 8, "hidden": 64}, "global_batch": 32,
            "dataset": {"kind": "text", "path": "docs/results.md", "sequence_length": 32}}
LENET = {"model": "lenet", "global_batch": 64, "dataset": {"kind": "synthetic", "shape": "1x28x28"}}

HYBRIDS = {
    2: [{"mesh": {"data": 2}, "zero": 1}],
    4: [{"mesh": {"data": 2, "tensor": 2}}, {"mesh": {"data": 2, "pipeline": 2}, "schedule": "1f1b", "zero": 1},
        {"mesh": {"tensor": 2, "pipeline": 2}, "schedule": "interleaved"}],
    8: [{"mesh": {"data": 2, "tensor": 4}}, {"mesh": {"data": 4, "pipeline": 2}, "schedule": "1f1b", "zero": 1},
        {"mesh": {"data": 2, "tensor": 2, "pipeline": 2}}],
}


def experiment(name, workload, strategies, ranks, transport):
    return {"name": name, "workload": workload, "strategies": strategies,
            "training": {"seed": 1, "optimizer": {"kind": "sgd", "learning_rate": 0.01, "momentum": 0.9}},
            "devices": {"kind": "cuda", "transport": transport, "ranks": [ranks]}, "measure": {"verify_steps": 5}}


def every_strategy(ranks):
    """Experiments that have each strategy, on a transformer, and what fits so many ranks on convolutions."""
    sharded = ["ddp", *({"kind": "zero", "stage": stage} for stage in (1, 2, 3))]
    pipelines = [{"kind": kind, "microbatches": 8} for kind in ("gpipe", "1f1b", "interleaved")]
    hybrids = [{"kind": "hybrid", "microbatches": 8, **hybrid} for hybrid in HYBRIDS[ranks]]
    images = sharded + (["tensor", "gpipe", "1f1b"] if ranks <= 4 else [])
    return [experiment(f"gpu-strategies-{ranks}-tiny-gpt", TINY_GPT, ["single", *sharded, "tensor", *pipelines, *hybrids],
                       ranks, "threads"),
            experiment(f"gpu-strategies-{ranks}-lenet", LENET, images, ranks, "threads")]


def strategies_of(listing):
    """Names below `strategies` in what `ddlbench list` prints."""
    lines = listing.splitlines()
    section = lines[lines.index("strategies") + 1:]
    names = []
    for line in section:
        if line and not line.startswith(" "):
            break
        if line.startswith("  ") and not line.startswith("   "):
            names.append(line.strip().split(":")[0])
    return names


def judge(rows):
    """A result of rows of cases.csv: each ran on a GPU and is certified, or it has failed."""
    if not rows:
        return figures.failed("there is no case")
    for row in rows:
        name = row["case_id"]
        if row["status"] != "ok":
            return figures.failed(f"{name} is {row['status']}: {row['status_reason']}")
        if row["device"] != "cuda" or not row["device_name"]:
            return figures.failed(f"{name} ran on {row['device'] or 'nothing'} '{row['device_name']}'")
        if row["certified"] != "true":
            return figures.failed(f"{name} is not certified: {row['certificate_reason']}")
        if row.get("step_seconds") and not float(row.get("launches_per_rank_per_step") or 0) > 0:
            return figures.failed(f"{name} launched nothing on its device")
    figure = f"{len(rows)} of {len(rows)} cases certified"
    timed = [row for row in rows if row.get("step_seconds")]
    if timed:
        best = min(timed, key=lambda row: float(row["step_seconds"]))
        figure += (f"; best step {float(best['step_seconds']) * 1e3:.3g} ms: {best['strategy']} on {best['ranks']}, "
                   f"{best.get('launch_mode') or 'launch mode unknown'}")
    kept = ("case_id", "strategy", "ranks", "device_name", "launch_mode", "step_seconds", "samples_per_second",
            "certificate_loss_max_rel_error", "certificate_gradient_max_rel_error", "certificate_update_max_rel_error")
    return figures.run(figure, cases=[{key: row[key] for key in kept if key in row} for row in rows])


def ddlbench(context, name, *words):
    """Runs the command with records in a folder of that name; returns the rows of its cases."""
    folder = context.output / name
    shutil.rmtree(folder, ignore_errors=True)  # an earlier run's, which would be gone on with
    environment = dict(os.environ)
    packed = context.root / "deps" / "bin"
    if packed.is_dir():
        environment["PATH"] = f"{packed}:{environment['PATH']}"
    ended = subprocess.run([context.build / "ddlbench", *words, "--output", folder, "--quiet"], cwd=context.root,
                           env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    (context.output / f"{name}.log").write_text(ended.stdout, encoding="utf-8")
    if not (folder / "cases.csv").exists():
        raise ValueError(f"ddlbench ended with {ended.returncode}: {ended.stdout.strip()[-300:]}")
    with open(folder / "cases.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def verified(context, experiments):
    rows = []
    for one in experiments:
        path = context.output / f"{one['name']}.json"
        path.write_text(json.dumps(one, indent=2) + "\n", encoding="utf-8")
        rows += ddlbench(context, one["name"], "verify", "--config", path)
    return judge(rows)


def strategies(ranks):
    def check(context):
        listing = subprocess.run([context.build / "ddlbench", "list"], capture_output=True, text=True, check=True).stdout
        wanted = every_strategy(ranks)
        covered = {one if isinstance(one, str) else one["kind"] for whole in wanted for one in whole["strategies"]}
        left_out = [name for name in strategies_of(listing) if name not in covered]
        if left_out:
            return figures.failed(f"no experiment here has the strategies {', '.join(left_out)}")
        return verified(context, wanted)
    return check


def over_nccl(gpus):
    def check(context):
        kinds = ["ddp", {"kind": "zero", "stage": 3}, "tensor"]
        return verified(context, [experiment(f"gpu-nccl-{gpus}", TINY_GPT, kinds, gpus, "nccl")])
    return check


def config(name):
    data = {"quickstart": "data/fashion-mnist", "text": "data/GPL-3"}

    def check(context):
        words = ["--config", f"configs/{name}.json", "--set", "/devices/kind=cuda"]
        if (context.root / data[name]).exists():  # an archive of scripts/gpu_pack brings its own
            words += ["--set", f"/workload/dataset/path={data[name]}"]
        return judge(ddlbench(context, f"gpu-{name}", *words))
    return check
