"""The networks in PyTorch. Parameters have the names that torchvision and Hugging Face give them."""

import math

import torch
import torchvision
from torch import nn
from torch.nn import functional


def wide(product, *factors):
    """Returns a product of 16-bit factors summed in f32, forward and back. On processors without instructions for bf16,
    PyTorch's own bf16 convolutions sum in bf16: at 576 terms, their results are 3 % from those of f64."""
    if factors[0].dtype == torch.float64:
        return product(*factors)
    return product(*(factor.float() for factor in factors)).to(factors[0].dtype)


class Conv2d(nn.Conv2d):
    def forward(self, x):
        return wide(functional.conv2d, x, self.weight, self.bias)


class Linear(nn.Linear):
    def forward(self, x):
        return wide(functional.linear, x, self.weight, self.bias)


class LeNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv1 = Conv2d(1, 6, 5)
        self.conv2 = Conv2d(6, 16, 5)
        self.fc1 = Linear(16 * 4 * 4, 120)
        self.fc2 = Linear(120, 84)
        self.fc3 = Linear(84, classes)

    def forward(self, x):
        x = functional.max_pool2d(functional.relu(self.conv1(x)), 2)
        x = functional.max_pool2d(functional.relu(self.conv2(x)), 2)
        x = functional.relu(self.fc1(x.flatten(1)))
        return self.fc3(functional.relu(self.fc2(x)))


class Conv1D(nn.Module):
    """A linear layer whose weight is [inputs, outputs]."""

    def __init__(self, outputs, inputs):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return wide(torch.addmm, self.bias, x.flatten(0, -2), self.weight).unflatten(0, x.shape[:-1])


class Attention(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.c_attn = Conv1D(3 * hidden, hidden)
        self.c_proj = Conv1D(hidden, hidden)

    def forward(self, x):
        batch, length, hidden = x.shape
        # Softmax and its sums are at least f32, as in ddlbench.
        wide = torch.promote_types(x.dtype, torch.float32)
        query, key, value = (part.view(batch, length, self.heads, -1).transpose(1, 2).to(wide)
                             for part in self.c_attn(x).split(hidden, dim=2))
        scores = query @ key.transpose(2, 3) / math.sqrt(hidden // self.heads)
        ahead = torch.ones(length, length, dtype=torch.bool).triu(1)
        share = scores.masked_fill(ahead, -math.inf).softmax(-1)
        return self.c_proj((share @ value).to(x.dtype).transpose(1, 2).reshape(batch, length, hidden))


class Mlp(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.c_fc = Conv1D(4 * hidden, hidden)
        self.c_proj = Conv1D(hidden, 4 * hidden)

    def forward(self, x):
        return self.c_proj(functional.gelu(self.c_fc(x), approximate="tanh"))


class Block(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.ln_1 = nn.LayerNorm(hidden)
        self.attn = Attention(hidden, heads)
        self.ln_2 = nn.LayerNorm(hidden)
        self.mlp = Mlp(hidden)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Gpt2(nn.Module):
    """Hugging Face's GPT2LMHeadModel with a tied head and no dropout. `wide_head`: logits are f32 products of 16-bit
    factors."""

    def __init__(self, layers, heads, hidden, vocabulary, positions, wide_head=False):
        super().__init__()
        self.wide_head = wide_head
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(vocabulary, hidden),
            "wpe": nn.Embedding(positions, hidden),
            "h": nn.ModuleList([Block(hidden, heads) for _ in range(layers)]),
            "ln_f": nn.LayerNorm(hidden),
        })

    def forward(self, tokens):
        parts = self.transformer
        x = parts["wte"](tokens) + parts["wpe"](torch.arange(tokens.shape[1]))
        for block in parts["h"]:
            x = block(x)
        x, table = parts["ln_f"](x), parts["wte"].weight
        return x.float() @ table.float().t() if self.wide_head and x.dtype != torch.float64 else x @ table.t()


def drawn_as_gpt2(network):
    """Initialises as Hugging Face does: matrices and tables are normal with deviation 0.02, those at the end of a
    residual branch narrower by 1/√(2 layers); biases are zero."""
    narrow = 0.02 / math.sqrt(2 * len(network.transformer["h"]))
    for name, parameter in network.named_parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, 0.0, narrow if name.endswith("c_proj.weight") else 0.02)
    return network


def torchvision_form(name):
    """Returns a function that builds a network of torchvision without dropout, which the two would draw differently."""
    def build(classes):
        network = getattr(torchvision.models, name)(num_classes=classes)
        for module in network.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0
        return network
    return build


def wider(network, samples):
    """Initialises matrices normally with deviation 0.1. Vectors are left as they are."""
    for parameter in network.parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, 0.0, 0.1)


def away_from_kinks(network, samples):
    """Initialises a residual network so that every ReLU unit is three deviations of its channel from zero, above it in
    every second channel and below it in the others, and that branches add little. So hardly any unit is so close to
    zero that two orders of summation put it on different sides, which would show in a gradient."""
    for name, module in network.named_modules():
        if isinstance(module, nn.BatchNorm2d):
            deviation = 0.2 if name.endswith("bn3") else 0.5
            nn.init.constant_(module.weight, deviation)
            with torch.no_grad():
                module.bias[0::2], module.bias[1::2] = 3 * deviation, -3 * deviation


def clear_of_kinks(network, samples):
    """Initialises a sequence of convolutions, linear layers and max pools, such as VGG-16. On these samples no ReLU
    unit is within half a deviation of zero, and the two largest values in a pool's window are at least 1e-4 apart.
    Weights keep their drawn directions, except that the common part of a layer's inputs is removed from them, because
    padding would otherwise weigh more than the samples. They are scaled so that a layer's units deviate by 1 from their
    channels' means. A bias puts all units of a channel on one side of zero: every fourth channel is off, or before a
    pool that half of the channels in which two values of a window are closest to each other."""
    layers = [*network.features, network.avgpool, nn.Flatten(1), *network.classifier]
    x = samples()
    with torch.no_grad():
        for layer, pool in zip(layers[:-1], [*layers[2:], None]):
            if isinstance(layer, (nn.Conv2d, nn.Linear)):
                settle(layer, x, isinstance(pool, nn.MaxPool2d))
            x = layer(x)
        nn.init.normal_(layers[-1].weight, 0.0, 2e-4)  # small, so that the layers below change little in a few steps


def settle(layer, x, pooled):
    """Initialises one layer for `clear_of_kinks`. `pooled`: a pool with 2 × 2 windows follows the ReLU."""
    def by_channel(values):
        return values.transpose(0, 1).flatten(1)

    layer.bias.zero_()
    if x.min() >= 0:  # after a ReLU, with means far from zero
        means = by_channel(x).mean(1).view(1, -1, *[1] * (layer.weight.dim() - 2))
        layer.weight.sub_((layer.weight * means).sum(1, keepdim=True) * means / means.square().sum())
    units = by_channel(layer(x))
    layer.weight.div_((units - units.mean(1, keepdim=True)).square().mean().sqrt())
    outputs = layer(x)
    units = by_channel(outputs)
    on = torch.arange(len(units)) % 4 < 3
    if pooled:
        first, second = outputs.unfold(2, 2, 2).unfold(3, 2, 2).flatten(4).topk(2).values.unbind(-1)
        apart = by_channel(first - second).amin(1)
        on = apart > apart.median()  # a channel that is off has only zeros
    layer.bias.copy_(torch.where(on, 0.5 - units.amin(1), -0.5 - units.amax(1)))
