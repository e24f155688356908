"""Tests that the pipelines of scripts/peers/torch_peer/pipeline.py train as one process does, in a Python whose torch has
pipelining."""

import json
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "peers"))

try:
    import torch
    from torch.nn import functional
    from torch_peer import pipeline
except ImportError:
    print("skipped: this Python has no torch with torch.distributed.pipelining")
    sys.exit(77)

from versus import launch  # noqa: E402
from versus.sides import free_port  # noqa: E402

STEPS, RANKS = 6, 2
TOLD = {"workload": {"batch": 8, "settings": {"microbatches": 4},
                     "optimizer": {"kind": "sgd", "learning_rate": 0.5, "momentum": 0.9}},
        "stock": True, "ranks": RANKS, "threads": 1, "seconds": 0.0, "warmup_steps": STEPS - 3}


def batch_of(workload, samples):
    tokens = torch.randint(pipeline.VOCABULARY, (samples, 17))
    return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()


def make_small():
    pipeline.LAYERS, pipeline.HEADS, pipeline.HIDDEN = 6, 4, 64
    pipeline.VOCABULARY, pipeline.POSITIONS = 500, 32
    pipeline.HEAD_LAYERS = pipeline.VOCABULARY / (12 * pipeline.HIDDEN)
    pipeline.batch_of = batch_of


def losses_of_one_process():
    torch.manual_seed(pipeline.SEED_OF_BATCH)
    values, labels = batch_of({}, TOLD["workload"]["batch"])
    network = pipeline.Stage(range(pipeline.LAYERS), True, True, pipeline.embedding(pipeline.VOCABULARY))
    optimizer = torch.optim.SGD(network.parameters(), 0.5, 0.9)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = functional.cross_entropy(network(values).flatten(0, -2), labels.flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def losses_of_ranks(schedule):
    meeting = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "OMP_NUM_THREADS": "1"}
    ranks = [([sys.executable, "-B", __file__, schedule], {"RANK": str(rank)}) for rank in range(RANKS)]
    return [json.loads(ended.output.strip().splitlines()[-1])["losses"] for ended in launch.together(ranks, meeting)]


class Pipelines(unittest.TestCase):
    def test_every_schedule_trains_as_one_process(self):
        expected = losses_of_one_process()
        self.assertLess(expected[-1], 0.9 * expected[0])
        for schedule in pipeline.CHUNKS:
            with self.subTest(schedule):
                for losses in losses_of_ranks(schedule):
                    for one, other in zip(losses, expected, strict=True):
                        self.assertAlmostEqual(one / other, 1, delta=1e-4)

    def test_the_rank_with_the_most_work_has_as_little_as_possible(self):
        self.assertEqual(pipeline.ranks_of_stages("ZBVZeroBubble", 2), [0, 1, 1, 0])
        self.assertEqual(pipeline.ranks_of_stages("Interleaved1F1B", 2), [0, 1, 0, 1])
        self.assertEqual(pipeline.split([0, 1]), [3, 3])


if __name__ == "__main__":
    make_small()
    if len(sys.argv) > 1 and sys.argv[1] in pipeline.CHUNKS:
        print(json.dumps(pipeline.measure({**TOLD, "schedule": sys.argv[1]})), flush=True)
        os._exit(0)
    unittest.main()
