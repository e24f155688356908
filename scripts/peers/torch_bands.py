"""Checks that the first losses of ddlbench's trainings lie where PyTorch's do.

Started by scripts/peers/torch_bands, which finds a Python that has torch. For each model `ddlbench trace` trains some
steps from its own initial weights. PyTorch trains on the same batches, as they were after decoding and augmentation,
from initial weights and with dropout that it draws with three seeds. docs/torch_check.md explains the band.

Exit codes: 0 all lie in the band; 1 one does not; 2 usage; 77 there is no torch.
"""

import argparse
import csv
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

import numpy
import torch
import torchvision

from torch_peer import bands, networks, schedules, trace, training

ROOT = Path(__file__).resolve().parents[2]
SEEDS = (1, 2, 3)


@dataclass
class Workload:
    model: dict
    dataset: Callable[[argparse.Namespace], dict]
    batch: int
    optimizer: dict
    build: Callable[[dict], Any]  # takes the data set's settings; initialises as PyTorch does


def photos(arguments):
    return {"kind": "image-folder", "path": str(arguments.photos.resolve()), "size": 224}


def text(arguments):
    words = {"tokenizer": "gpt2", "vocabulary": str(arguments.vocabulary.resolve())} if arguments.vocabulary else {}
    return {"kind": "text", "path": str(arguments.text.resolve()), "sequence_length": 64, **words}


def photo_workload(name, batch, optimizer):
    def build(dataset):
        classes = sum(entry.is_dir() for entry in (Path(dataset["path"]) / "train").iterdir())
        return getattr(torchvision.models, name)(num_classes=classes)
    return Workload({"kind": name}, photos, batch, optimizer, build)


# Adam for networks without batch norm, whose first losses SGD hardly changes.
WORKLOADS = {
    "alexnet": photo_workload("alexnet", 32, {"kind": "adam", "learning_rate": 0.0003}),
    "vgg16": photo_workload("vgg16", 8, {"kind": "adam", "learning_rate": 0.0001}),
    "resnet50": photo_workload("resnet50", 16, {"kind": "sgd", "learning_rate": 0.001, "momentum": 0.9}),
    "gpt2-small": Workload(
        {"kind": "gpt2-small", "dropout": 0.0}, text, 2,
        {"kind": "adamw", "learning_rate": 0.0003, "weight_decay": 0.1, "beta2": 0.95, "exempt_vectors": True},
        lambda dataset: networks.drawn_as_gpt2(
            networks.Gpt2(12, 12, 768, 50257, dataset["sequence_length"], True))),
}


def config_of(workload, arguments):
    return {
        "name": "torch-bands",
        "workload": {"model": workload.model, "dataset": workload.dataset(arguments), "global_batch": workload.batch},
        "training": {"epochs": 8, "precision": "fp32", "seed": 1, "optimizer": workload.optimizer},
        "devices": {"kind": "cpu", "ranks": 1, "threads_per_rank": arguments.threads},
        "strategies": ["single"],
    }


def losses_of(workload, arguments, folder):
    """Returns (ddlbench's losses, [PyTorch's losses by seed])."""
    config = config_of(workload, arguments)
    own, batches, told = trace.run(arguments.ddlbench, config, folder, "out", arguments.steps)
    rates, losses = schedules.rates(told, arguments.steps), own.losses
    del own
    peers = []
    for seed in SEEDS:
        torch.manual_seed(seed)
        network = workload.build(config["workload"]["dataset"])
        peer = training.Peer(network, training.arrays(network.state_dict()), trace.recipe_of(told))
        peers.append([])
        for step, rate in enumerate(rates):
            values, labels = training.batch_of(batches, step)
            peers[-1].append(peer.step(values, labels, rate))
            peer.update()
    return losses, peers


def write_curves(path, losses, peers, limits):
    """Writes the losses of each step. Means and limits are in the line of their window's last step."""
    means = bands.means(losses)
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["step", "ddlbench_loss", *(f"torch_{seed}_loss" for seed in SEEDS), "ddlbench_mean_loss",
                        "low_mean_loss", "high_mean_loss"])
        for step, loss in enumerate(losses):
            window = step - bands.WINDOW + 1
            rest = [means[window], *limits[window]] if window >= 0 else ["", "", ""]
            table.writerow([step + 1, loss, *(peer[step] for peer in peers), *rest])


def write_environment(path, arguments, folder):
    """Writes what ddlbench records of the machine, taken from a tiny training, and the versions of PyTorch."""
    tiny = {"name": "torch-bands",
            "workload": {"model": "mlp", "dataset": {"kind": "synthetic", "train_samples": 8, "validation_samples": 8},
                         "global_batch": 8},
            "training": {"epochs": 1, "optimizer": {"kind": "sgd", "learning_rate": 0.1}},
            "devices": {"kind": "cpu", "ranks": 1}, "strategies": ["single"], "measure": {"verify_steps": 0, "interleave": False}}
    (folder / "tiny.json").write_text(json.dumps(tiny))
    subprocess.run([arguments.ddlbench, "--config", "tiny.json", "--output", "told"], cwd=folder, check=True,
                   capture_output=True)
    told = json.loads((folder / "told" / "environment.json").read_text())
    del told["config_hash"]
    told["libraries"].update(torch=torch.__version__, torchvision=torchvision.__version__, numpy=numpy.__version__,
                             python=platform.python_version())
    told["threads"] = arguments.threads
    path.write_text(json.dumps(told, indent=2) + "\n")


def say_if_slow():
    """Warns about Debian's reference BLAS, which is used if no other one is installed."""
    if "/blas/libblas.so" in Path("/proc/self/maps").read_text(encoding="utf-8"):
        print("torch_bands: PyTorch uses the reference BLAS here, so that GPT-2 takes hours; "
              "install Debian's libopenblas0-pthread instead", file=sys.stderr)


def parse():
    parser = argparse.ArgumentParser(prog="torch_bands", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", action="append", choices=WORKLOADS,
                        help="this model; repeatable (default: all)")
    parser.add_argument("--photos", type=Path, metavar="FOLDER",
                        help="folder with train/CLASS/ and val/CLASS/, for all models except GPT-2")
    parser.add_argument("--text", type=Path, metavar="FILE", default=Path("/usr/share/common-licenses/GPL-3"),
                        help="text for GPT-2 (default: %(default)s)")
    parser.add_argument("--vocabulary", type=Path, metavar="FOLDER",
                        help="folder with GPT-2's encoder.json and vocab.bpe (default: tokens are bytes)")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="output folder for MODEL.csv of each model and environment.json")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--ddlbench", default=ROOT / "build" / "ddlbench", type=Path, metavar="FILE",
                        help="the binary (default: build/ddlbench)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="threads of each side")
    arguments = parser.parse_args()
    arguments.model = arguments.model or list(WORKLOADS)
    if arguments.steps < 2 * bands.WINDOW:
        parser.error(f"--steps: at least {2 * bands.WINDOW}")
    if not arguments.ddlbench.is_file():
        parser.error(f"there is no {arguments.ddlbench}: build it, or name it with --ddlbench")
    if arguments.model != ["gpt2-small"] and not (
            arguments.photos and (arguments.photos / "train").is_dir()):
        parser.error("--photos: a folder of train/CLASS/ and val/CLASS/ is needed for all models but gpt2-small")
    arguments.ddlbench = arguments.ddlbench.resolve()
    return arguments


def main():
    arguments = parse()
    torch.set_num_threads(arguments.threads)
    say_if_slow()
    if arguments.output:
        arguments.output.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="torch_bands-") as folder:
            write_environment(arguments.output / "environment.json", arguments, Path(folder))
    print(f"{'model':<12} {'first':>7} {'last':>7} {'low':>7} {'high':>7} {'s':>6}  verdict", flush=True)
    failed = 0
    for name in arguments.model:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="torch_bands-") as folder:
            losses, peers = losses_of(WORKLOADS[name], arguments, Path(folder))
        limits = bands.band(peers)
        found = bands.outside(losses, limits)
        if arguments.output:
            write_curves(arguments.output / f"{name}.csv", losses, peers, limits)
        means = bands.means(losses)
        print(f"{name:<12} {means[0]:7.3f} {means[-1]:7.3f} {limits[-1][0]:7.3f} {limits[-1][1]:7.3f} "
              f"{time.monotonic() - began:6.0f}  {'FAILED' if found else 'ok'}", flush=True)
        for window in found:
            low, high = limits[window]
            print(f"    steps {window + 1} to {window + bands.WINDOW}: {means[window]:.4f} is not in {low:.4f} to {high:.4f}")
        failed += bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except trace.TraceFailed as error:
        print(f"torch_bands: {error}", file=sys.stderr)
        sys.exit(1)
