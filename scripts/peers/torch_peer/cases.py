"""The cases that are compared: networks, and the settings of their trainings."""

import math
from dataclasses import dataclass
from typing import Any, Callable

from torch_peer import networks
from torch_peer.compare import Tolerances

FP32 = Tolerances(loss=1e-4, gradient=1e-3, update=1e-3)
BF16_ROUNDING = 2.0 ** -8  # the largest error of one rounding to 8 significant bits


def bf16(roundings):
    """Returns the tolerances for bf16. Both sides round each tensor on the way from the samples to a gradient, and not
    always to the same number: the error is at most u = 2^-8, with a deviation of u / √3, and errors add as independent
    ones do. So the two sides are √(2n / 3) u apart after n roundings. Three times that is allowed. A loss is a mean
    over many outputs, for which one rounding is allowed."""
    apart = math.sqrt(2 * roundings / 3) * BF16_ROUNDING
    return Tolerances(loss=BF16_ROUNDING, gradient=3 * apart, update=3 * apart)


@dataclass
class Network:
    model: dict
    dataset: dict
    batch: int
    build: Callable[[dict], Any]  # takes the data set's settings
    roundings: int  # tensors that bf16 rounds on the longest path forward and back


@dataclass
class Case:
    name: str
    network: Network
    training: dict
    tolerances: Tolerances = FP32
    quick: bool = False
    returns: bool = False  # whether weights go back to ddlbench, too
    steps: int = 5
    # Sets the initial weights in PyTorch, given the network and a function that returns the first batch. None: ddlbench
    # draws them.
    draw: Callable[[Any, Callable[[], Any]], None] = None
    microbatches: int = 1

    def config(self, threads):
        dataset = self.network.dataset
        return {
            "name": "torch-check",
            "workload": {"model": self.network.model, "dataset": dataset, "global_batch": self.network.batch},
            "training": {"epochs": 3, "precision": "fp32", "seed": 7, **self.training},
            "devices": {"kind": "cpu", "ranks": 1, "threads_per_rank": threads},
            "strategies": [{"kind": "single", "microbatches": self.microbatches}],
        }


def pictures(shape, classes, samples):
    return {"kind": "synthetic", "shape": shape, "classes": classes, "train_samples": samples,
            "validation_samples": samples}


def texts(tokens, length, samples):
    return {"kind": "synthetic-text", "classes": tokens, "sequence_length": length, "train_samples": samples,
            "validation_samples": samples}


def photo_network(name, batch, size):
    """Returns a network with few classes and few ReLU units. The more of them a step has, the likelier is one so close
    to zero that two orders of summation put it on different sides. An epoch is one batch, so that each step sees the
    same samples in another order, and the loss moves in one direction."""
    dropout = {"dropout": 0.0} if name in ("alexnet", "vgg16") else {}
    return Network({"kind": name, **dropout}, pictures(f"3x{size}x{size}", 10, batch), batch,
                   lambda dataset: networks.torchvision_form(name)(dataset["classes"]), 0)


LENET = Network({"kind": "lenet"}, pictures("1x28x28", 4, 64), 32, lambda dataset: networks.LeNet(dataset["classes"]),
                roundings=14)  # 7 layers forward, and back


def tiny(**options):
    return Network({"kind": "tiny-gpt", "layers": 2, "heads": 4, "hidden": 64, **options}, texts(24, 32, 16), 8,
                   lambda dataset: networks.Gpt2(2, 4, 64, dataset["classes"], dataset["sequence_length"],
                                                 options.get("fused_head", False)),
                   roundings=40)  # 2 + 2 layers × 9 tensors, and back


GPT2_SMALL = Network({"kind": "gpt2-small", "dropout": 0.0}, texts(50257, 64, 4), 2,
                     lambda dataset: networks.Gpt2(12, 12, 768, dataset["classes"], dataset["sequence_length"], True),
                     0)


def trained(kind, rate, settings=None, **training):
    return {"optimizer": {"kind": kind, "learning_rate": rate, **(settings or {})}, **training}


@dataclass
class Rates:
    """Learning rates with which the loss changes fast."""
    sgd: float
    lars: float
    trust_coefficient: float  # for lars
    lamb: float


def small_cases(label, network, rates):
    rate, slow = rates.sgd, rates.sgd / 3
    # Otherwise a gradient that is zero except for rounding, as that of a key bias, would cause a step of full length.
    adam = {"epsilon": 1e-4}
    lars = {"trust_coefficient": rates.trust_coefficient}
    warm = {"warmup_steps": 2, "warmup_start": 0.25}
    named = {
        "": trained("sgd", rate),
        "momentum": trained("sgd", slow, {"momentum": 0.9}),
        "nesterov": trained("sgd", slow, {"momentum": 0.9, "nesterov": True}),
        "decay": trained("sgd", slow, {"momentum": 0.9, "weight_decay": 0.05}),
        "decay, vectors exempt": trained("sgd", slow, {"momentum": 0.9, "weight_decay": 0.05, "exempt_vectors": True}),
        "adam": trained("adam", 0.003, {"weight_decay": 0.01, **adam}),
        "adamw": trained("adamw", 0.003, {"weight_decay": 0.1, **adam}),
        "lars": trained("lars", rates.lars, {"weight_decay": 0.01, **lars}),
        "lars, all layers": trained("lars", rates.lars, {"exempt_vectors": False, **lars}),
        "lamb": trained("lamb", rates.lamb, adam),
        "lamb, all layers": trained("lamb", rates.lamb, {"exempt_vectors": False, **adam}),
        "step": trained("sgd", rate, schedule={"kind": "step", "milestones": [1, 2], "factor": 0.3}),
        "cosine": trained("sgd", rate, schedule={"kind": "cosine", "minimum": 0.01}),
        "polynomial": trained("sgd", rate, schedule={"kind": "polynomial", "power": 2}),
        "warm-up": trained("sgd", rate, **warm),
        "warm-up, cosine, scaled": trained("sgd", rate / 2, schedule={"kind": "cosine"},
                                           scale_with_batch=network.batch // 2, **warm),
        "clipped": trained("sgd", rate, clip_norm=0.3),
        "clipped lars": trained("lars", rates.lars, lars, clip_norm=0.1),
        "clipped lamb": trained("lamb", rates.lamb, adam, clip_norm=0.1),
        "label smoothing": trained("sgd", rate, label_smoothing=0.1),
        "bf16": trained("sgd", rate, precision="bf16"),
        "bf16 adamw": trained("adamw", 0.003, {"weight_decay": 0.1, **adam}, precision="bf16"),
        "bf16 lamb, clipped": trained("lamb", rates.lamb, adam, clip_norm=0.1, precision="bf16"),
    }
    for name, training in named.items():
        tolerances = bf16(network.roundings) if training.get("precision") == "bf16" else FP32
        # LAMB's steps are relative to the weights. GPT-2's are small: steps would be long for its vectors before they
        # are long for the loss.
        draw = networks.wider if "lamb" in name else None
        yield Case(f"{label} {name}".strip(), network, training, tolerances, quick=True, returns=not name, draw=draw)
    for parts in (2, 4):
        yield Case(f"{label} {parts} micro-batches", network, named["momentum"], quick=True, microbatches=parts)


def all_cases():
    return [
        *small_cases("lenet", LENET, Rates(sgd=0.35, lars=0.5, trust_coefficient=0.02, lamb=0.02)),
        Case("lenet mean squared error", LENET, trained("sgd", 0.5, loss="mean_squared_error"), quick=True),
        *small_cases("gpt", tiny(), Rates(sgd=0.3, lars=0.1, trust_coefficient=1.0, lamb=0.03)),
        Case("gpt fused head", tiny(fused_head=True), trained("sgd", 0.3, label_smoothing=0.1), quick=True),
        Case("gpt fused head, bf16", tiny(fused_head=True), trained("sgd", 0.3, precision="bf16"), bf16(40), quick=True),
        Case("alexnet", photo_network("alexnet", 4, 224), trained("sgd", 0.1, {"momentum": 0.9}), returns=True),
        Case("vgg16", photo_network("vgg16", 4, 64), trained("sgd", 4e-6, {"momentum": 0.9}), returns=True,
             draw=networks.clear_of_kinks),
        Case("resnet50", photo_network("resnet50", 8, 64), trained("sgd", 0.0003), returns=True,
             draw=networks.away_from_kinks),
        Case("gpt2-small", GPT2_SMALL, trained("sgd", 0.1, {"momentum": 0.9}), returns=True),
    ]
