"""Times steady training steps of GPT-2 small under a schedule of torch.distributed.pipelining, over gloo."""

import os
from itertools import accumulate, combinations_with_replacement

import torch
from torch import nn
from torch.distributed import pipelining
from torch.distributed.pipelining import schedules
from torch.nn import functional

from torch_peer.fast_gpt2 import Block
from torch_peer.speed import batch_of, optimizer_of, timed
from versus.estimates import interquartile_mean

LAYERS, HEADS, HIDDEN, VOCABULARY, POSITIONS = 12, 12, 768, 50257, 1024
SEED_OF_BATCH, SEED_OF_LAYERS = 1, 2
HEAD_LAYERS = VOCABULARY / (12 * HIDDEN)  # layers with as many multiplications as the head
CHUNKS = {"GPipe": 1, "1F1B": 1, "Interleaved1F1B": 2, "InterleavedZeroBubble": 2, "ZBVZeroBubble": 2}  # on each rank


def ranks_of_stages(schedule, ranks):
    """Returns the rank of each stage."""
    there = list(range(ranks))
    if schedule == "ZBVZeroBubble":
        return there + there[::-1]
    return there * CHUNKS[schedule]


def split(ranks):
    """Returns the numbers of layers of the stages, of which the last one also has the head, so that the rank with the
    most work has as little as possible, and then the stage with the most. `ranks`: of each stage."""
    def work(cuts):
        layers = [end - begin for begin, end in zip((0, *cuts), (*cuts, LAYERS))]
        stages = [*layers[:-1], layers[-1] + HEAD_LAYERS]
        return max(sum(s for s, r in zip(stages, ranks) if r == rank) for rank in set(ranks)), max(stages), layers
    return min(work(cuts) for cuts in combinations_with_replacement(range(LAYERS + 1), len(ranks) - 1))[2]


def embedding(rows):
    torch.manual_seed(rows)
    made = nn.Embedding(rows, HIDDEN)
    nn.init.normal_(made.weight, std=0.02)
    return made


def layer(index):
    """Returns a layer with the same weights on any rank and in any stage."""
    torch.manual_seed(SEED_OF_LAYERS + index)
    return Block(HIDDEN, HEADS)


class Stage(nn.Module):
    """Some layers, with the embedding before them or the head after them. `wte`: the table that these two share."""

    def __init__(self, layers, first, last, wte):
        super().__init__()
        self.first, self.last = first, last
        if first or last:
            self.wte = wte
        if first:
            self.wpe = embedding(POSITIONS)
        self.h = nn.ModuleList([layer(index) for index in layers])
        if last:
            self.ln_f = nn.LayerNorm(HIDDEN)

    def forward(self, x):
        if self.first:
            x = self.wte(x) + self.wpe.weight.narrow(0, 0, x.shape[1])
        for block in self.h:
            x = block(x)
        return functional.linear(self.ln_f(x), self.wte.weight) if self.last else x


class Step:
    """A training step of this rank's stages. If the ends of the network are on two ranks, these sum the gradients of
    the shared table. The loss is divided by the micro-batches here: PyTorch would divide the table's gradient once for
    each stage that has it."""

    def __init__(self, told, rank):
        workload, name = told["workload"], told["schedule"]
        torch.manual_seed(SEED_OF_BATCH)
        self.values, self.labels = batch_of(workload, workload["batch"])
        ranks = ranks_of_stages(name, told["ranks"])
        self.first, self.last = ranks[0] == rank, ranks[-1] == rank
        self.wte = embedding(VOCABULARY) if self.first or self.last else None
        self.sums_table = ranks[0] != ranks[-1] and self.wte is not None
        self.holders = torch.distributed.new_group(sorted({ranks[0], ranks[-1]}))
        ends = list(accumulate(split(ranks)))
        modules = {index: Stage(range(begin, end), index == 0, index == len(ranks) - 1, self.wte)
                   for index, (begin, end) in enumerate(zip([0, *ends], ends)) if ranks[index] == rank}
        stages = [pipelining.PipelineStage(module, index, len(ranks), torch.device("cpu"))
                  for index, module in modules.items()]
        microbatches = workload["settings"]["microbatches"]

        def loss_of(outputs, labels):
            return functional.cross_entropy(outputs.flatten(0, -2), labels.flatten()) / microbatches

        self.schedule = getattr(schedules, f"Schedule{name}")(
            stages if CHUNKS[name] > 1 else stages[0], microbatches, loss_fn=loss_of, scale_grads=False)
        self.rank_of_loss = ranks[-1]
        self.parameters = list(nn.ModuleList(modules.values()).parameters())  # each once, also if two stages share it
        self.optimizer = optimizer_of(workload["optimizer"], self.parameters, told["stock"])

    def __call__(self):
        """Returns the loss on the rank that has the last stage, elsewhere 0."""
        for parameter in self.parameters:
            parameter.grad = None
        losses = []
        self.schedule.step(*([self.values] if self.first else []), target=self.labels if self.last else None,
                           losses=losses, return_outputs=False)
        if self.sums_table:
            torch.distributed.all_reduce(self.wte.weight.grad, group=self.holders)
        self.optimizer.step()
        return sum(loss.item() for loss in losses)


def measure(told):
    torch.set_num_threads(told["threads"])
    rank, ranks = int(os.environ["RANK"]), told["ranks"]
    torch.distributed.init_process_group("gloo", rank=rank, world_size=ranks)
    step = Step(told, rank)
    seconds, losses = timed(step, told)
    losses = torch.tensor(losses, dtype=torch.float64)
    torch.distributed.broadcast(losses, step.rank_of_loss)
    torch.distributed.barrier()  # no rank leaves while another still waits for it
    return {"step_seconds": interquartile_mean(seconds), "steps": len(seconds), "losses": losses.tolist(),
            "torch": torch.__version__}
