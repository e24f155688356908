"""PyTorch's optimizers, and LARS and LAMB, which it lacks, from their papers."""

import torch


class Lars(torch.optim.Optimizer):
    """You, Gitman, Ginsburg 2017: the rate of a layer is trust_coefficient ‖w‖ / (‖g‖ + decay ‖w‖ + epsilon), and is part of the
    velocity. Exempt vectors (biases, parameters of norms) have the global rate and no decay."""

    def __init__(self, groups, lr, momentum=0.0, weight_decay=0.0, trust_coefficient=0.001, epsilon=1e-8):
        super().__init__(groups, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay, "trust_coefficient": trust_coefficient,
                                  "epsilon": epsilon, "exempt": False})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            decay = group["weight_decay"]
            for weight in group["params"]:
                gradient, state = weight.grad, self.state[weight]
                rate, length, slope = 1.0, weight.norm(), gradient.norm()
                if not group["exempt"] and length > 0 and slope > 0:
                    rate = group["trust_coefficient"] * length / (slope + decay * length + group["epsilon"])
                velocity = state.setdefault("velocity", torch.zeros_like(weight))
                velocity.mul_(group["momentum"]).add_((gradient + decay * weight) * (group["lr"] * rate))
                weight.sub_(velocity)


class Lamb(torch.optim.Optimizer):
    """You et al. 2020: Adam's direction plus decay, scaled to ‖w‖ for each tensor."""

    def __init__(self, groups, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        super().__init__(groups, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "exempt": False})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            first, second = group["betas"]
            for weight in group["params"]:
                gradient, state = weight.grad, self.state[weight]
                if not state:
                    state.update(steps=0, mean=torch.zeros_like(weight), square=torch.zeros_like(weight))
                state["steps"] += 1
                state["mean"].mul_(first).add_(gradient, alpha=1 - first)
                state["square"].mul_(second).addcmul_(gradient, gradient, value=1 - second)
                mean = state["mean"] / (1 - first ** state["steps"])
                square = state["square"] / (1 - second ** state["steps"])
                update = mean / (square.sqrt() + group["eps"]) + group["weight_decay"] * weight
                ratio, length, size = 1.0, weight.norm(), update.norm()
                if not group["exempt"] and length > 0 and size > 0:
                    ratio = length / size
                weight.sub_(update * (group["lr"] * ratio))


def groups_of(parameters, exempts_vectors):
    if not exempts_vectors:
        return [{"params": parameters}]
    return [{"params": [p for p in parameters if p.dim() > 1]},
            {"params": [p for p in parameters if p.dim() <= 1], "weight_decay": 0.0, "exempt": True}]


def make(choice, parameters):
    """Returns the optimizer for a configuration's training/optimizer, with all settings written out."""
    groups = groups_of(list(parameters), choice["exempt_vectors"])
    rate, decay = choice["learning_rate"], choice["weight_decay"]

    def adams():
        return {"lr": rate, "betas": (choice["beta1"], choice["beta2"]), "eps": choice["epsilon"], "weight_decay": decay}

    kinds = {
        "sgd": lambda: torch.optim.SGD(groups, rate, choice["momentum"], weight_decay=decay, nesterov=choice["nesterov"]),
        "adam": lambda: torch.optim.Adam(groups, **adams()),
        "adamw": lambda: torch.optim.AdamW(groups, **adams()),
        "lars": lambda: Lars(groups, rate, choice["momentum"], decay, choice["trust_coefficient"], choice["epsilon"]),
        "lamb": lambda: Lamb(groups, **adams()),
    }
    return kinds[choice["kind"]]()
