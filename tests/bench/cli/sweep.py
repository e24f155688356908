"""Sweeps: lists of settings run as cases, among them failures of five kinds."""

import collections
import pathlib
import unittest

from harness import CommandTest, tiny

SWEEP = pathlib.Path(__file__).resolve().parents[3] / "configs" / "sweep.json"


class Sweep(CommandTest):
    def test_the_shipped_sweep_has_five_failures_of_five_kinds(self):
        ended = self.command("--config", str(SWEEP), "--output", "out", "--quiet")
        self.assertEqual(ended.returncode, 1, ended.stderr)
        statuses = collections.Counter(row["status"] for row in self.rows())
        self.assertEqual(statuses, {"ok": 45, "unsupported": 1, "out_of_memory": 1, "non_finite": 1, "timed_out": 1,
                                    "bad_data": 1})

    def test_settings_in_lists_reach_the_cases(self):
        config = tiny()
        config["training"]["precision"] = ["fp32", "bf16"]
        config["training"]["optimizer"]["learning_rate"] = [0.05, 0.01]
        config["workload"]["loader"] = {"workers": [0, 1]}
        config["devices"] = {"ranks": 2}
        config["strategies"] = ["ddp", {"kind": "gpipe", "microbatches": [2, 4]}]
        config["sweep"] = {"exclude": [{"precision": "bf16", "learning_rate": 0.01}]}
        ended = self.command("--config", self.write(config), "--output", "out")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        rows = self.rows()
        self.assertEqual(len(rows), 3 * 2 * 3)
        self.assertEqual({row["precision"] for row in rows}, {"fp32", "bf16"})
        self.assertEqual({row["microbatches"] for row in rows if row["strategy"].startswith("gpipe")}, {"2", "4"})
        self.assertEqual(len({row["contract_id"] for row in rows}), 3)
        for row in rows:
            workers, rate = row["settings"].split()
            self.assertIn(f"-{workers.replace('=', '')}-", row["case_id"])
            self.assertTrue(row["case_id"].endswith(rate.replace("=", "")), row["case_id"])
        losses = {}
        for row in rows:
            losses.setdefault(row["contract_id"], []).append(float(row["final_train_loss"]))
        means = sorted(own[0] for own in losses.values())
        self.assertGreater(means[2] - means[0], 1e-3)  # the learning rates were used
        # Contract by contract: the cases of one are consecutive.
        order = [row["contract_id"] for row in rows]
        self.assertEqual(sum(a != b for a, b in zip(order, order[1:])), 2)

    def test_weak_scaling_has_an_efficiency(self):
        config = tiny()
        del config["workload"]["global_batch"]
        config["workload"]["batch_per_rank"] = 8
        config["devices"]["threads_per_rank"] = 1
        config["strategies"] = ["ddp"]
        ended = self.command("--config", self.write(config), "--output", "out")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        one, two = self.rows()
        self.assertEqual((one["global_batch"], two["global_batch"]), ("8", "16"))
        self.assertEqual(one["scaling_id"], two["scaling_id"])
        self.assertEqual(float(one["weak_efficiency_ratio"]), 1)
        self.assertAlmostEqual(float(two["weak_efficiency_ratio"]),
                               float(one["step_seconds"]) / float(two["step_seconds"]))


if __name__ == "__main__":
    unittest.main()
