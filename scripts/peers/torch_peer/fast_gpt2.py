"""GPT-2 in the form that PyTorch runs fastest: nn.Linear, and its own fused attention where it has one."""

import math

import torch
from torch import nn
from torch.nn import functional


def attention(query, key, value):
    if hasattr(functional, "scaled_dot_product_attention"):
        return functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    length = query.shape[-2]
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    ahead = torch.ones(length, length, dtype=torch.bool).triu(1)
    return scores.masked_fill(ahead, -math.inf).softmax(-1) @ value


class Block(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.qkv, self.projection = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.widen, self.narrow = nn.Linear(hidden, 4 * hidden), nn.Linear(4 * hidden, hidden)

    def forward(self, x):
        batch, length, hidden = x.shape
        query, key, value = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                             for part in self.qkv(self.ln_1(x)).split(hidden, dim=2))
        seen = attention(query, key, value).transpose(1, 2).reshape(batch, length, hidden)
        x = x + self.projection(seen)
        return x + self.narrow(functional.gelu(self.widen(self.ln_2(x)), approximate="tanh"))


class FastGpt2(nn.Module):
    """The head is the embedding's table; no dropout."""

    def __init__(self, layers, heads, hidden, vocabulary, positions):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, hidden), nn.Embedding(positions, hidden)
        nn.init.normal_(self.tokens.weight, std=0.02)
        nn.init.normal_(self.positions.weight, std=0.02)
        self.blocks = nn.ModuleList([Block(hidden, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm(hidden)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions.weight[:tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return functional.linear(self.norm(x), self.tokens.weight)
