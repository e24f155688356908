"""Runs ddlbench's command `trace` and reads the files that it writes."""

import json
import subprocess

from torch_peer import safetensors
from torch_peer.compare import Training


class TraceFailed(Exception):
    """ddlbench failed; the message says why."""


def run(binary, config, folder, name, steps):
    """Returns (Training, batches, trace.json)."""
    file = folder / f"{name}.json"
    file.write_text(json.dumps(config, indent=2))
    output = folder / name
    ended = subprocess.run([binary, "trace", "--config", str(file), "--output", str(output), "--steps", str(steps)],
                           capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise TraceFailed(f"ddlbench trace ended with {ended.returncode}: {ended.stderr.strip()[-2000:]}")
    told = json.loads((output / "trace.json").read_text())
    initial, gradients, final, batches = (safetensors.read(output / f"{what}.safetensors")
                                          for what in ("initial", "gradients", "final", "batches"))
    return Training(told["losses"], told["learning_rates"], gradients, initial, final), batches, told


def first_samples(binary, config, folder):
    """Returns the samples of the first batch of `config`. They do not depend on the model, so the smallest one is
    used."""
    workload = {**config["workload"], "model": {"kind": "mlp"}}
    _, batches, _ = run(binary, {**config, "workload": workload}, folder, "samples", 1)
    return batches["step-0.values"]


def recipe_of(told):
    """Returns the settings of a trace in the form that training.Peer takes."""
    settings = told["training"]
    recipe = {name: settings[name] for name in ("optimizer", "loss", "label_smoothing", "clip_norm")}
    return {**recipe, "microbatches": told["strategy"].get("microbatches", 1)}
