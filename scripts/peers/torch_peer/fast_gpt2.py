"""GPT-2 in the form that PyTorch runs fastest: nn.Linear, and PyTorch's fused attention if it has one. Modules have
Hugging Face's names, as ddlbench's layers do."""

import math

import torch
from torch import nn
from torch.nn import functional


def attention(query, key, value):
    if hasattr(functional, "scaled_dot_product_attention"):
        return functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    ahead = torch.ones_like(scores[0, 0], dtype=torch.bool).triu(1)
    return scores.masked_fill(ahead, -math.inf).softmax(-1) @ value


class Attention(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.c_attn, self.c_proj = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)

    def forward(self, x):
        query, key, value = self.of_heads(self.c_attn(x))
        return self.c_proj(attention(query, key, value).transpose(1, 2).flatten(2))

    def of_heads(self, joined):
        parts = joined.chunk(3, dim=2)
        return [parts[i].unflatten(2, (self.heads, -1)).transpose(1, 2) for i in range(3)]


class Mlp(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.c_fc, self.gelu, self.c_proj = nn.Linear(hidden, 4 * hidden), nn.GELU("tanh"), nn.Linear(4 * hidden, hidden)

    def forward(self, x):
        return self.c_proj(self.gelu(self.c_fc(x)))


class Block(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.attn, self.mlp = Attention(hidden, heads), Mlp(hidden)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class FastGpt2(nn.Module):
    """GPT-2 without dropout. The head shares the token embedding's table."""

    def __init__(self, layers, heads, hidden, vocabulary, positions):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, hidden), nn.Embedding(positions, hidden)
        nn.init.normal_(self.wte.weight, std=0.02)
        nn.init.normal_(self.wpe.weight, std=0.02)
        self.h = nn.ModuleList([Block(hidden, heads) for _ in range(layers)])
        self.ln_f = nn.LayerNorm(hidden)

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe.weight.narrow(0, 0, tokens.shape[1])
        for block in self.h:
            x = block(x)
        return functional.linear(self.ln_f(x), self.wte.weight)
