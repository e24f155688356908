"""Trains a network in PyTorch from given weights on given batches."""

import copy

import numpy
import torch
from torch.nn import functional

from torch_peer import optimizers
from torch_peer.compare import Training


def arrays(tensors):
    return {name: tensor.detach().to(torch.float64 if tensor.dtype == torch.float64 else
                                     tensor.dtype if tensor.dtype == torch.int64 else torch.float32)
            .numpy().copy() for name, tensor in tensors.items()}


def tensors(values):
    return {name: torch.from_numpy(numpy.array(array)) for name, array in values.items()}


def batch_of(batches, step):
    """Returns (values, labels) of a step from a trace's batches."""
    return tuple(torch.from_numpy(numpy.array(batches[f"step-{step}.{what}"])) for what in ("values", "labels"))


def loss_of(outputs, labels, recipe):
    """Returns the sum over labels, in f32 or wider."""
    outputs = outputs.flatten(0, -2)
    outputs = outputs.to(torch.promote_types(outputs.dtype, torch.float32))
    labels = labels.flatten()
    if recipe["loss"] == "mean_squared_error":
        wanted = functional.one_hot(labels, outputs.shape[1]).to(outputs.dtype)
        return (outputs - wanted).square().mean(1).sum()
    return functional.cross_entropy(outputs, labels, reduction="sum", label_smoothing=recipe["label_smoothing"])


class Peer:
    """One training. `dtype` is the type of the network. The optimizer's weights are f32 or wider: if the network's are
    narrower, there are masters beside them."""

    def __init__(self, network, weights, recipe, dtype=torch.float32):
        self.network = copy.deepcopy(network)
        self.network.load_state_dict(tensors(weights), strict=True)
        self.network.to(dtype).train()
        self.dtype, self.recipe = dtype, recipe
        self.named = dict(self.network.named_parameters())
        wide = torch.promote_types(dtype, torch.float32)
        self.masters = {name: p if p.dtype == wide else torch.from_numpy(numpy.array(weights[name]))
                        for name, p in self.named.items()}
        self.optimizer = optimizers.make(recipe["optimizer"], self.masters.values())

    def step(self, values, labels, learning_rate):
        """Returns the loss. Leaves the gradients in the masters."""
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        self.network.zero_grad(set_to_none=False)
        values = values.to(self.dtype) if values.is_floating_point() else values
        total = 0.0
        parts = self.recipe["microbatches"]
        for part, wanted in zip(values.chunk(parts), labels.chunk(parts)):
            loss = loss_of(self.network(part), wanted, self.recipe) / labels.numel()
            loss.backward()  # accumulates gradients
            total += loss.item()
        for name, master in self.masters.items():
            master.grad = self.named[name].grad.to(master.dtype)
        return total

    def update(self):
        if self.recipe["clip_norm"] > 0:
            torch.nn.utils.clip_grad_norm_(self.masters.values(), self.recipe["clip_norm"])
        self.optimizer.step()
        with torch.no_grad():
            for name, master in self.masters.items():
                if self.named[name] is not master:
                    self.named[name].copy_(master)

    def weights(self):
        return arrays({**self.network.state_dict(), **self.masters})


def train(network, weights, batches, recipe, schedule, dtype=torch.float32):
    """Trains for as many steps as `schedule` has learning rates."""
    peer = Peer(network, weights, recipe, dtype)
    initial, losses, gradients = peer.weights(), [], {}
    for step, rate in enumerate(schedule):
        values, labels = batch_of(batches, step)
        losses.append(peer.step(values, labels, rate))
        if step == 0:
            gradients = arrays({name: master.grad for name, master in peer.masters.items()})
        peer.update()
    return Training(losses, list(schedule), gradients, initial, peer.weights())
