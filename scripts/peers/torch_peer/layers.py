"""Times each layer of a network in PyTorch. The nodes run one by one, forward and backward, on the values that the
network itself gives them."""

import time

import torch
from torch.fx.node import map_aggregate
from torch.nn import functional

LEAST_LAUNCHES, MOST_LAUNCHES, LEAST_SECONDS = 5, 200, 0.05


def tensors_of(value):
    found = []
    map_aggregate(value, lambda leaf: found.append(leaf) if isinstance(leaf, torch.Tensor) else None)
    return found


def lower_quartile(values):
    return sorted(values)[len(values) // 4]


def timed(launch):
    """Returns the lower quartile of the times after a warm-up launch, as `ddlbench layers` does."""
    launch()
    seconds, spent = [], 0.0
    while len(seconds) < LEAST_LAUNCHES or (spent < LEAST_SECONDS and len(seconds) < MOST_LAUNCHES):
        seconds.append(launch())
        spent += seconds[-1]
    return lower_quartile(seconds)


def clocked(work):
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


class Tracer(torch.fx.Tracer):
    """Records for each node which modules it is in, the innermost last."""

    def __init__(self):
        super().__init__()
        self.within = []

    def call_module(self, module, forward, arguments, named):
        self.within.append(self.path_of_module(module))
        try:
            return super().call_module(module, forward, arguments, named)
        finally:
            self.within.pop()

    def create_node(self, *arguments, **named):
        node = super().create_node(*arguments, **named)
        node.meta["within"] = list(self.within)
        return node


class LayerTimes(torch.fx.Interpreter):
    """Runs a traced network once and times each node. `layers`: names of the known layers. A node belongs to the layer
    that is its module or contains it; otherwise to the layer of the latest of its arguments, or of the previous node.
    What makes the network's output without being a module belongs to the loss."""

    def __init__(self, network, layers):
        super().__init__(torch.fx.GraphModule(network, Tracer().trace(network)))
        self.layers = layers
        self.seconds = {}  # layer: [forward, backward]
        self.layer_of = {}
        self.order = {node: i for i, node in enumerate(self.module.graph.nodes)}
        (self.last,) = (node.args[0] for node in self.module.graph.nodes if node.op == "output")

    def owner(self, node):
        if node.op != "call_module" and node is self.last:
            return "loss"
        for path in reversed(node.meta["within"]):
            if path in self.layers:
                return path
        known = [made for made in node.all_input_nodes if made in self.layer_of] or list(self.layer_of)
        return self.layer_of[max(known, key=self.order.get)] if known else str(node.target)

    def run_node(self, node):
        if node.op not in ("call_module", "call_function", "call_method"):
            return super().run_node(node)
        arguments, named = self.fetch_args_kwargs_from_env(node)
        result = getattr(self, node.op)(node.target, arguments, named)
        if not tensors_of(result):
            return result
        self.layer_of[node] = self.owner(node)
        forward, backward = self.time(node, arguments, named)
        total = self.seconds.setdefault(self.layer_of[node], [0.0, 0.0])
        total[0] += forward
        total[1] += backward
        return result

    def time(self, node, arguments, named):
        leaves = []

        def apart(value):
            if not isinstance(value, torch.Tensor):
                return value
            if not value.requires_grad:
                return value.detach()
            leaf = value.detach().requires_grad_()
            leaves.append(leaf)
            return leaf

        given, with_names = map_aggregate(arguments, apart), map_aggregate(named, apart)
        module = self.submodules.get(node.target) if node.op == "call_module" else None
        in_place = module is not None and getattr(module, "inplace", False)

        def copied(value):  # an operation in place must not overwrite a leaf; the copy is not timed
            return value.clone() if in_place and isinstance(value, torch.Tensor) else value

        def launch():
            fresh = map_aggregate(given, copied)
            seconds, launch.made = clocked(lambda: getattr(self, node.op)(node.target, fresh, with_names))
            return seconds

        forward = timed(launch)
        parameters = list(module.parameters()) if module is not None else []
        outputs = [made for made in tensors_of(launch.made) if made.requires_grad]
        inputs = leaves + parameters
        if not outputs or not inputs:
            return forward, 0.0
        gradients = [torch.randn_like(output) * 0.01 for output in outputs]
        return forward, timed(lambda: clocked(lambda: torch.autograd.grad(
            outputs, inputs, gradients, retain_graph=True, allow_unused=True))[0])


def measure(network, values, labels, layers):
    """Returns {layer: [forward seconds, backward seconds]}, including the loss."""
    times = LayerTimes(network, layers)
    outputs = times.run(values).detach().requires_grad_()

    def loss():
        return functional.cross_entropy(outputs.flatten(0, -2), labels.flatten())

    total = times.seconds.setdefault("loss", [0.0, 0.0])
    total[0] += timed(lambda: clocked(loss)[0])
    made = loss()
    total[1] += timed(lambda: clocked(lambda: torch.autograd.grad(made, outputs, retain_graph=True))[0])
    return times.seconds
