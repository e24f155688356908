"""Computes how far two trainings are apart."""

import math
from dataclasses import dataclass

import numpy

FLOOR = 1e-6  # relative to the largest gradient's norm, because some true gradients are zero
LEAST_MOVE = 0.05


@dataclass
class Training:
    """The results of some steps: arrays by the tensors' names in files."""
    losses: list
    learning_rates: list
    gradients: dict  # of the first step
    initial: dict
    final: dict  # including running statistics


@dataclass(frozen=True)
class Tolerances:
    loss: float
    gradient: float
    update: float


@dataclass
class Errors:
    loss: float
    gradient: float
    update: float
    statistics: float
    gradients: dict  # by tensor
    move: float  # largest relative change of the peer's loss
    learning_rate: float


def norm(values):
    return float(numpy.linalg.norm(values.astype(numpy.float64).ravel()))


def relative(value, peer):
    return abs(value - peer) / abs(peer) if peer else (0.0 if value == peer else math.inf)


def gradient_errors(own, peer):
    floor = FLOOR * max(norm(values) for values in peer.values())
    return {name: norm(own[name].astype(numpy.float64) - values) / max(norm(values), floor)
            for name, values in peer.items()}


def update_error(own, peer):
    apart = moved = 0.0
    for name in peer.gradients:
        change = peer.final[name].astype(numpy.float64) - peer.initial[name]
        apart += norm(own.final[name].astype(numpy.float64) - own.initial[name] - change) ** 2
        moved += norm(change) ** 2
    return math.sqrt(apart / moved) if moved else math.inf


def statistics_error(own, peer):
    names = [name for name in peer.final if name not in peer.gradients]
    return max((norm(own.final[name].astype(numpy.float64) - peer.final[name]) / max(norm(peer.final[name]), 1e-30)
                for name in names), default=0.0)


def errors_of(own, peer):
    for what in ("gradients", "initial", "final"):
        names, others = set(getattr(own, what)), set(getattr(peer, what))
        if names != others:
            raise ValueError(f"{what}: tensors that only one of the two has: {sorted(names ^ others)[:20]}")
    gradients = gradient_errors(own.gradients, peer.gradients)
    return Errors(
        loss=max(map(relative, own.losses, peer.losses)),
        gradient=max(gradients.values()),
        update=update_error(own, peer),
        statistics=statistics_error(own, peer),
        gradients=gradients,
        move=max(relative(loss, peer.losses[0]) for loss in peer.losses),
        learning_rate=max(map(relative, own.learning_rates, peer.learning_rates)),
    )


def complaints(errors, allowed):
    """Returns what is wrong, in words; nothing if the two agree. NaN is wrong, too."""
    found = []

    def check(what, error, most):
        if not error <= most:
            found.append(f"{what} {error:.2e} > {most:.2e}")

    check("loss", errors.loss, allowed.loss)
    check("gradient", errors.gradient, allowed.gradient)
    if not errors.gradient <= allowed.gradient:
        worst = sorted(errors.gradients, key=errors.gradients.get, reverse=True)[:3]
        found.append("worst: " + ", ".join(f"{name} {errors.gradients[name]:.2e}" for name in worst))
    check("update", errors.update, allowed.update)
    check("running statistics", errors.statistics, allowed.update)
    check("learning rate", errors.learning_rate, 1e-6)
    if not errors.move >= LEAST_MOVE:
        found.append(f"the loss moved by {errors.move:.1%} only: nothing is proved")
    return found
