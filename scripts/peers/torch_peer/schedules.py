"""Computes learning rates by step with PyTorch's schedulers, for a configuration's `training`."""

import warnings

import torch
from torch.optim import lr_scheduler


def after_warmup(optimizer, training, warmup, total, steps_per_epoch):
    schedule = training["schedule"]
    left = total - warmup

    def step():
        every = schedule["every_epochs"]
        epochs = list(range(every, training["epochs"], every)) if every else schedule["milestones"]
        return lr_scheduler.MultiStepLR(optimizer, [epoch * steps_per_epoch - warmup for epoch in epochs],
                                        schedule["factor"])

    def cosine():
        if schedule.get("cycles", 1) != 1:
            raise ValueError("a cosine with cycles is not compared: CosineAnnealingWarmRestarts takes whole steps per cycle")
        return lr_scheduler.CosineAnnealingLR(optimizer, left, schedule["minimum"])

    def polynomial():
        if schedule["minimum"]:
            raise ValueError("PyTorch's PolynomialLR has no minimum")
        return lr_scheduler.PolynomialLR(optimizer, left, schedule["power"])

    kinds = {
        "constant": lambda: lr_scheduler.ConstantLR(optimizer, 1.0, 1),
        "step": step,
        "cosine": cosine,
        "polynomial": polynomial,
    }
    return kinds[schedule["kind"]]()


def rates(told, steps):
    """Returns the rates of the first `steps` steps of the training that a trace describes."""
    training, steps_per_epoch = told["training"], told["steps_per_epoch"]
    peak = training["optimizer"]["learning_rate"]
    if training["scale_with_batch"]:
        peak *= told["global_batch"] / training["scale_with_batch"]
    warmup = training["warmup_steps"] + training["warmup_epochs"] * steps_per_epoch
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], peak)
    total = training["epochs"] * steps_per_epoch
    schedule = after_warmup(optimizer, training, warmup, total, steps_per_epoch)
    if warmup:
        growing = lr_scheduler.LinearLR(optimizer, training["warmup_start"], 1.0, warmup)
        schedule = lr_scheduler.SequentialLR(optimizer, [growing, schedule], [warmup])
    found = []
    for _ in range(steps):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # SequentialLR itself does what it warns about
            schedule.step()
    return found
