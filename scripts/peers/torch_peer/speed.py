"""Times steady training steps in PyTorch: forward, loss, backward and optimizer, on one batch in memory."""

import contextlib
import os
import time

import torch
import torchvision
from torch.nn import functional

from torch_peer.fast_gpt2 import FastGpt2
from versus.estimates import interquartile_mean

LEAST_STEPS = 3


def network_of(workload):
    if workload["unit"] == "tokens":
        return FastGpt2(layers=12, heads=12, hidden=768, vocabulary=50257, positions=1024)
    network = getattr(torchvision.models, workload["model"])(num_classes=1000)
    for module in network.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return network


def batch_of(workload, samples):
    if workload["unit"] == "tokens":
        tokens = torch.randint(50257, (samples, workload["units_per_sample"] + 1))
        return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()
    return torch.randn(samples, 3, 224, 224), torch.randint(1000, (samples,))


def optimizer_of(choice, parameters, stock):
    """Returns an optimizer, fused into one pass if this version can do so on this device."""
    kinds = {
        "sgd": lambda **more: torch.optim.SGD(parameters, choice["learning_rate"], choice["momentum"], **more),
        "adamw": lambda **more: torch.optim.AdamW(parameters, choice["learning_rate"], **more),
    }
    make = kinds[choice["kind"]]
    if stock:
        return make()
    try:
        return make(fused=True)
    except (TypeError, RuntimeError):  # no such argument, or only on GPUs
        return make()


class Step:
    """One way of training. In the form `masters` the network has 16-bit weights and the optimizer has f32 masters
    beside them. Otherwise both have the same weights, and with `autocast` PyTorch casts what it considers
    worthwhile."""

    def __init__(self, told, samples):
        torch.manual_seed(1)
        self.device = told.get("device", "cpu")
        network = network_of(told["workload"]).train().to(self.device)
        self.values, self.labels = (part.to(self.device) for part in batch_of(told["workload"], samples))
        if told["layout"] == "channels_last":
            network = network.to(memory_format=torch.channels_last)
            self.values = self.values.to(memory_format=torch.channels_last)
        self.masters, self.narrow = [], []
        parameters = list(network.parameters())
        if told["form"] == "masters":
            self.masters = [parameter.detach().clone() for parameter in parameters]
            network = network.to(torch.bfloat16)
            self.narrow = list(network.parameters())
            parameters = self.masters
            if self.values.is_floating_point():
                self.values = self.values.to(torch.bfloat16)
        self.optimizer = optimizer_of(told["workload"]["optimizer"], parameters, told["stock"])
        self.autocast = told["form"] == "autocast"
        if told["ranks"] > 1:
            network = torch.nn.parallel.DistributedDataParallel(network, gradient_as_bucket_view=not told["stock"])
        self.network = torch.compile(network) if told["compiled"] else network

    def loss(self):
        casting = torch.autocast(self.device, torch.bfloat16) if self.autocast else contextlib.nullcontext()
        with casting:
            outputs = self.network(self.values)
            return functional.cross_entropy(outputs.flatten(0, -2).float(), self.labels.flatten())

    def clear(self):
        for parameter in self.narrow or [p for group in self.optimizer.param_groups for p in group["params"]]:
            parameter.grad = None

    def __call__(self):
        return self.put().item()

    def put(self):
        """Launches a step. Returns the loss, which a GPU may not have computed yet."""
        self.clear()
        loss = self.loss()
        loss.backward()
        for master, narrow in zip(self.masters, self.narrow):
            master.grad = narrow.grad.float()
        self.optimizer.step()
        with torch.no_grad():
            for master, narrow in zip(self.masters, self.narrow):
                narrow.copy_(master)
                master.grad = None
        return loss.detach()


class Turns:
    """Steps on a GPU (or, to test this, a processor), with one synchronisation per turn instead of one per step."""

    def __init__(self, told):
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        torch.backends.cudnn.benchmark = True
        self.step = Step(told, told["workload"]["batch"])
        self.step_seconds = 0.0
        for _ in range(told["warmup_steps"]):
            self.step_seconds = self.timed(1)[0]
        self.give_back()

    def give_back(self):
        """Frees cached memory, because the other side's turn is next."""
        if self.step.device == "cuda":
            torch.cuda.empty_cache()

    def timed(self, steps):
        """Returns the seconds per step over so many steps, and the last loss."""
        began = time.perf_counter()
        for _ in range(steps):
            loss = self.step.put()
        last = loss.item()  # synchronises
        return (time.perf_counter() - began) / steps, last

    def take(self, seconds):
        steps = max(LEAST_STEPS, round(seconds / self.step_seconds))
        each, loss = self.timed(steps)
        self.give_back()
        return {"step_seconds": each, "steps": steps, "loss": loss}


def agreed(enough, ranks):
    """Returns whether to stop. Rank 0 decides, so that all ranks do the same number of steps."""
    if ranks == 1:
        return enough
    told = torch.tensor([int(enough)])
    torch.distributed.broadcast(told, 0)
    return bool(told.item())


def timed(step, told):
    """Returns the seconds of steady steps, and the losses of all steps."""
    losses = [step() for _ in range(told["warmup_steps"])]
    seconds = []
    while not agreed(sum(seconds) >= told["seconds"] and len(seconds) >= LEAST_STEPS, told["ranks"]):
        began = time.perf_counter()
        losses.append(step())
        seconds.append(time.perf_counter() - began)
    return seconds, losses


def measure(told):
    torch.set_num_threads(told["threads"])
    ranks = told["ranks"]
    if ranks > 1:
        torch.distributed.init_process_group("gloo", rank=int(os.environ["RANK"]), world_size=ranks)
    step = Step(told, told["workload"]["batch"] // ranks)
    seconds, losses = timed(step, told)
    if ranks > 1:
        torch.distributed.barrier()  # no rank leaves while another still waits for it
    return {"step_seconds": interquartile_mean(seconds), "steps": len(seconds), "loss": losses[-1],
            "torch": torch.__version__}
