"""Tests what scripts/peers/torch_step.py times, in a Python that has torch: that it is a training, and of which
network."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "peers"))

try:
    import torch
    import torchvision  # noqa: F401
except ImportError:
    print("skipped: this Python has no torch and torchvision")
    sys.exit(77)

from torch_peer import fast_gpt2, layers, networks, speed  # noqa: E402

VOCABULARY, LENGTH = 97, 12
SMALL = {"layers": 2, "heads": 4, "hidden": 32, "vocabulary": VOCABULARY, "positions": 16}
TOLD = {"workload": {"model": "gpt", "unit": "tokens", "units_per_sample": LENGTH, "batch": 3,
                     "optimizer": {"kind": "adamw", "learning_rate": 0.01}},
        "precision": "fp32", "layout": "contiguous", "compiled": False, "form": "plain", "stock": False, "ranks": 1,
        "threads": 1, "seconds": 0.0, "warmup_steps": 1}


def same_weights(fast):
    """Returns the weights for the network that torch_check compares with ddlbench, whose Conv1D has transposed
    matrices."""
    return {f"transformer.{name}": value.t() if ".c_" in name and name.endswith("weight") else value
            for name, value in fast.state_dict().items()}


class FastGpt2(unittest.TestCase):
    def test_it_is_the_network_of_torch_check(self):
        torch.manual_seed(1)
        fast, checked = fast_gpt2.FastGpt2(**SMALL), networks.Gpt2(**SMALL)
        checked.load_state_dict(same_weights(fast), strict=True)
        tokens = torch.randint(VOCABULARY, (2, LENGTH))
        torch.testing.assert_close(fast(tokens), checked(tokens), rtol=1e-5, atol=1e-6)


class Layers(unittest.TestCase):
    def test_every_node_belongs_to_a_layer(self):
        fast = fast_gpt2.FastGpt2(**SMALL)
        tokens = torch.randint(VOCABULARY, (2, LENGTH))
        blocks = [f"h.{i}.{name}" for i in range(SMALL["layers"])
                  for name in ("ln_1", "attn.c_attn", "attn", "attn.c_proj", "ln_2", "mlp.c_fc", "mlp.gelu", "mlp.c_proj")]
        known = ["wte", *blocks, "ln_f", "loss"]
        times = layers.measure(fast, tokens, tokens, set(known))
        self.assertEqual(set(times), set(known))
        self.assertTrue(all(forward > 0 and backward > 0 for forward, backward in times.values()))

    def test_nodes_that_ddlbench_fuses_belong_to_the_layer_before(self):
        network = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(inplace=True), torch.nn.Flatten(),
                                      torch.nn.Linear(16, 5))
        times = layers.measure(network, torch.randn(2, 3, 4, 4), torch.tensor([1, 2]), {"0", "3", "loss"})
        self.assertEqual(set(times), {"0", "3", "loss"})


class Steps(unittest.TestCase):
    def setUp(self):
        for name, value in (("network_of", lambda workload: fast_gpt2.FastGpt2(**SMALL)),
                            ("batch_of", self.batch)):
            self.addCleanup(setattr, speed, name, getattr(speed, name))
            setattr(speed, name, value)

    def batch(self, workload, samples):
        draw = torch.Generator().manual_seed(2)
        tokens = torch.randint(VOCABULARY, (samples, LENGTH + 1), generator=draw)
        return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()

    def losses(self, **changed):
        step = speed.Step({**TOLD, **changed}, 3)
        return [step() for _ in range(12)]

    def test_every_form_learns_the_same(self):
        plain = self.losses()
        self.assertLess(plain[-1], 0.7 * plain[0])
        for changed in ({"stock": True}, {"form": "autocast"}, {"form": "masters"}):
            with self.subTest(changed):
                for one, other in zip(plain, self.losses(**changed)):
                    self.assertAlmostEqual(one / other, 1, delta=0.03)

    def test_masters_are_wide_and_the_network_is_narrow(self):
        step = speed.Step({**TOLD, "form": "masters"}, 3)
        step()
        self.assertTrue(all(master.dtype == torch.float32 for master in step.masters))
        for master, narrow in zip(step.masters, step.network.parameters()):
            self.assertTrue(torch.equal(master.to(torch.bfloat16), narrow))

    def test_a_measurement_has_at_least_three_steps(self):
        told = speed.measure(TOLD)
        self.assertEqual(told["steps"], 3)
        self.assertGreater(told["step_seconds"], 0)

    def test_turns_go_on_with_one_training(self):
        turns = speed.Turns({**TOLD, "device": "cpu", "warmup_steps": 1})
        first, second = turns.take(0.0), turns.take(5 * turns.step_seconds)
        self.assertEqual((first["steps"], second["steps"]), (3, 5))
        expected = self.losses()
        self.assertAlmostEqual(first["loss"] / expected[3], 1, delta=1e-4)
        self.assertAlmostEqual(second["loss"] / expected[8], 1, delta=1e-4)
        self.assertGreater(second["step_seconds"], 0)


if __name__ == "__main__":
    unittest.main()
