"""`ddlbench trace`: the first steps of the one-rank reference, written so that another program can repeat them."""

import json
import struct
import unittest

from harness import CommandTest, tiny

FILES = ["batches.safetensors", "final.safetensors", "final.state.safetensors", "gradients.safetensors",
         "initial.safetensors", "trace.json"]


def read(path):
    """Returns shape and values of each tensor."""
    data = path.read_bytes()
    length, = struct.unpack("<Q", data[:8])
    header, data = json.loads(data[8:8 + length]), data[8 + length:]
    kinds = {"F32": "f", "I64": "q"}
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            kind = kinds[entry["dtype"]]
            tensors[name] = (entry["shape"], struct.unpack(f"<{(end - begin) // struct.calcsize(kind)}{kind}",
                                                           data[begin:end]))
    return tensors


class Trace(CommandTest):
    def config(self, momentum=0.0):
        config = tiny()
        config["training"]["optimizer"]["momentum"] = momentum
        return config

    def trace(self, output, *words, config=None, code=0):
        config = config or self.config()
        ended = self.command("trace", "--config", self.write(config), "--output", output, *words)
        self.assertEqual(ended.returncode, code, ended.stderr)
        return ended

    def files(self):
        return sorted(path.name for path in self.folder.iterdir() if path.name != "experiment.json")

    def test_everything_that_one_step_of_sgd_needs_is_there(self):
        ended = self.trace("out", "--steps", "1")
        self.assertIn("trace: out", ended.stdout)
        out = self.folder / "out"
        self.assertEqual(sorted(path.name for path in out.iterdir()), FILES)
        initial, gradients, final, batches = (read(out / f"{name}.safetensors")
                                              for name in ("initial", "gradients", "final", "batches"))
        self.assertEqual(batches["step-0.values"][0], [16, 1, 4, 4])
        self.assertEqual(batches["step-0.labels"][0], [16])
        self.assertTrue(all(0 <= label < 4 for label in batches["step-0.labels"][1]))
        self.assertEqual(set(initial), {"fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"})
        for name, (shape, values) in initial.items():
            self.assertEqual((gradients[name][0], final[name][0]), (shape, shape))
            for before, slope, after in zip(values, gradients[name][1], final[name][1]):
                self.assertAlmostEqual(after, before - 0.05 * slope, places=6)
        told = json.loads((out / "trace.json").read_text())
        self.assertEqual(len(told["losses"]), 1)
        self.assertAlmostEqual(told["learning_rates"][0], 0.05, places=7)
        self.assertEqual((told["model"]["kind"], told["model"]["hidden"]), ("mlp", [16]))
        self.assertEqual(told["training"]["optimizer"]["kind"], "sgd")

    def test_steps_are_those_that_are_verified_and_follow_each_other(self):
        self.trace("two", config=self.config(momentum=0.9))
        self.trace("three", "--steps", "3", config=self.config(momentum=0.9))
        two, three = (json.loads((self.folder / name / "trace.json").read_text()) for name in ("two", "three"))
        self.assertEqual(len(two["losses"]), 2)
        self.assertEqual(three["losses"][:2], two["losses"])
        self.assertEqual(len(read(self.folder / "three" / "batches.safetensors")), 6)
        self.assertEqual(read(self.folder / "three" / "initial.safetensors"),
                         read(self.folder / "two" / "initial.safetensors"))

    def test_weights_that_are_loaded_are_the_initial_ones(self):
        self.trace("first")
        self.trace("second", "--set", "/training/checkpoint/load=first/final.safetensors")
        self.assertEqual(read(self.folder / "second" / "initial.safetensors"),
                         read(self.folder / "first" / "final.safetensors"))

    def test_masters_of_16_bit_weights_begin_as_the_weights_that_32_bits_have(self):
        self.trace("narrow", "--set", "/training/precision=bf16")
        self.trace("wide")
        self.assertEqual(read(self.folder / "narrow" / "initial.safetensors"),
                         read(self.folder / "wide" / "initial.safetensors"))

    def test_gradients_are_those_of_the_loss_and_not_of_the_scaled_loss(self):
        """[N4] fp16 multiplies the loss by 65536."""
        self.trace("wide", "--steps", "1")
        self.trace("half", "--steps", "1", "--set", "/training/precision=fp16")
        wide, half = (read(self.folder / name / "gradients.safetensors") for name in ("wide", "half"))
        self.assertEqual(set(wide), set(half))
        for name, (_, values) in wide.items():
            norm, difference = (sum(value * value for value in numbers) ** 0.5
                                for numbers in (values, (a - b for a, b in zip(values, half[name][1]))))
            self.assertGreater(norm, 1e-4)
            self.assertLess(difference, 0.02 * norm, name)

    def test_what_cannot_be_done_leaves_nothing(self):
        (self.folder / "full").mkdir()
        (self.folder / "full" / "mine").touch()
        self.assertIn("is not empty", self.trace("full", code=2).stderr)
        self.assertIn("is a file", self.trace("full/mine", code=2).stderr)
        self.assertIn("cannot be written", self.trace("/proc/none/out", code=2).stderr)
        swept = self.config()
        swept["workload"]["global_batch"] = [16, 32]
        self.assertIn("the cases differ in settings, batch or seed", self.trace("out", config=swept, code=2).stderr)
        wild = self.config()
        wild["training"]["optimizer"]["learning_rate"] = 1e30
        self.assertIn("of phase trace", self.trace("out", "--steps", "3", config=wild, code=1).stderr)
        self.assertIn("--output", self.command("trace", "--config", "experiment.json").stderr)
        self.assertEqual(self.files(), ["full"])

    def test_micro_batches_add_up_to_the_gradients_of_the_batch(self):
        parts = self.config()
        parts["strategies"] = ["ddp", {"kind": "single", "microbatches": 4}]
        self.trace("whole", "--steps", "1")
        self.trace("parts", "--steps", "1", config=parts)
        told = json.loads((self.folder / "parts" / "trace.json").read_text())
        self.assertEqual(told["strategy"]["microbatches"], 4)
        whole, added = (read(self.folder / name / "gradients.safetensors") for name in ("whole", "parts"))
        for name, (_, values) in whole.items():
            for one, other in zip(values, added[name][1]):
                self.assertAlmostEqual(one, other, places=6)

    def test_one_of_several_batches_can_be_chosen(self):
        swept = self.config()
        swept["workload"]["global_batch"] = [16, 32]
        swept["strategies"] = ["single"]
        self.trace("out", "--set", "/workload/global_batch=32", config=swept)
        self.assertEqual(read(self.folder / "out" / "batches.safetensors")["step-0.labels"][0], [32])


if __name__ == "__main__":
    unittest.main()
