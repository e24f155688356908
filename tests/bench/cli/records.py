"""The files that a run writes: tables, journal, JSON files."""

import fcntl
import json
import os
import re
import resource
import unittest

from harness import CommandTest, data_limit, lasting, rows_of, tiny

NOT_MEASURED = """devices devices_shared launch_mode final_perplexity target seconds_to_target epochs_to_target steps_to_target batch_statistics_samples
certificate_statistic_max_rel_error noise_floor_statistic tolerance_statistic final_loss_scale skipped_steps own_process_step_seconds rounds rounds_ended_by
disturbed_visits round_spread_ratio""".split()


class RecordsTest(CommandTest):
    def run_to_records(self, config, *words, code=0):
        ended = self.command("--config", self.write(config), "--output", "out", *words)
        self.assertEqual(ended.returncode, code, ended.stderr)
        return self.rows()


class Records(RecordsTest):
    def test_every_file_is_there_and_parses(self):
        config = tiny()
        config["measure"]["predict"] = True
        cases = self.run_to_records(config)
        self.assertEqual(len(cases), 7)
        for row in cases:
            self.assertGreater(float(row["predicted_step_seconds"]), 0, row["case_id"])
        self.assert_described()
        epochs = self.rows("epochs.csv")
        self.assertEqual([row["case_id"] for row in epochs], [row["case_id"] for row in cases])
        ranks = self.rows("ranks.csv")
        self.assertEqual(len(ranks), sum(int(row["ranks"]) for row in cases))

        out = self.folder / "out"
        self.assertEqual(json.loads((out / "config.json").read_text())["name"], "tiny")
        environment = json.loads((out / "environment.json").read_text())
        self.assertIn("build", environment)
        self.assertEqual(environment["command_line"][1:3], ["--config", "experiment.json"])
        journal = [json.loads(line)["kind"] for line in (out / "journal.jsonl").read_text().splitlines()]
        self.assertEqual(journal.count("case"), 7)
        for row in cases:
            trace = json.loads((out / "trace" / f"{row['case_id']}.json").read_text())
            self.assertTrue(trace["traceEvents"] if isinstance(trace, dict) else trace)

    def test_without_training_steps_are_verified_and_timed_alone(self):
        config = tiny()
        config["training"]["checkpoint"] = {"save": "saved"}
        config["measure"] |= {"train": False, "interleave": True, "visit_seconds": 0.01, "precision": 0.99}
        row, = self.run_to_records(config, "--filter", "001")
        self.assertGreater(float(row["step_seconds"]), 0)
        self.assertGreater(int(row["rounds"]), 1)
        self.assertEqual(row["certified"], "true")
        for name in ("epoch_seconds", "final_train_loss", "final_accuracy_ratio", "resident_peak_bytes"):
            self.assertEqual(row[name], "", name)
        self.assertEqual(self.rows("epochs.csv"), [])
        self.assertFalse((self.folder / "saved").exists())
        shown = self.command("report", "out", "--mllog", "log")
        self.assertNotIn("accuracy", shown.stdout)
        self.assertIn("no case trained an epoch, so --mllog and --tensorboard have nothing to write", shown.stderr)

    def test_what_was_resolved_runs_again_under_the_same_contract(self):
        first = self.run_to_records(tiny(), "--filter", "001")
        self.command("--config", "out/config.json", "--filter", "001", "--output", "again")
        again = rows_of(self.folder / "again/cases.csv")
        for name in ("contract_id", "final_train_loss", "final_accuracy_ratio"):
            self.assertEqual(first[0][name], again[0][name])

    def test_without_gpus_auto_runs_on_the_cpu_and_says_so(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
        self.addCleanup(os.environ.pop, "CUDA_VISIBLE_DEVICES")
        words = ("--config", self.write(tiny()), "--set", "/devices/kind=auto", "--filter", "001")
        ended = self.command(*words, "--output", "out")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertRegex(ended.stderr.splitlines()[0], r"^ddlbench: devices/kind auto: cpu, because there is no usable GPU \(cuda: .+\)$")
        row = self.rows()[0]
        self.assertEqual((row["device"], row["devices"], row["devices_shared"]), ("cpu", "", ""))
        self.assertEqual(json.loads((self.folder / "out/config.json").read_text())["devices"]["kind"], "auto")
        environment = json.loads((self.folder / "out/environment.json").read_text())
        self.assertEqual(environment["gpu"]["gpus"], [])
        self.assertIn(environment["gpu"]["cuda_unusable"], ended.stderr)
        said = self.command("env").stdout
        self.assertRegex(said, r"(?m)^gpu\.cuda_unusable +\S.*")
        self.assertRegex(said, r"(?m)^libraries\.MPI +\S")
        self.command("--config", self.write(tiny()), "--filter", "001", "--output", "named")
        self.assertEqual(row["contract_id"], rows_of(self.folder / "named/cases.csv")[0]["contract_id"])

    def test_what_was_not_measured_is_empty_and_what_was_nothing_is_0(self):
        single = self.run_to_records(tiny(), "--filter", "001")[0]
        for name in NOT_MEASURED:
            self.assertEqual(single[name], "", name)
        self.assertEqual(float(single["sent_bytes_per_rank_per_step"]), 0)
        self.assertEqual(float(single["budget_communication_seconds"]), 0)

    def test_utilisation_is_sampled_from_start_to_end(self):
        config = lasting()
        config["strategies"] = config["strategies"][:2]
        self.run_to_records(config)
        samples = self.rows("utilisation.csv")
        for case_id in ("001-ddp-r1", "002-gpipe-r2"):
            own = [row for row in samples if row["case_id"] == case_id]
            times = [float(row["elapsed_seconds"]) for row in own]
            self.assertEqual(times, sorted(times))
            self.assertGreaterEqual(len(own), 2 + int(times[-1] / 2))
            self.assertLessEqual(len(own), 2 + int(times[-1]))
            self.assertEqual(own[0]["cpu_user_ratio"], "")
            for row in own[1:]:
                shares = [float(row[name]) for name in row if name.startswith("cpu_") and row[name]]
                self.assertTrue(all(0 <= share <= 1.05 for share in shares), row)
                self.assertLessEqual(sum(shares), 1.05)
                self.assertGreaterEqual(int(row["loopback_bytes"]), 0)
                self.assertEqual([row[name] for name in row if name.startswith("gpu_")], ["", "", ""])
            self.assertEqual((own[0]["processes"], own[-1]["processes"]), ("1", "0"))
        middle = [row for row in samples if row["case_id"] == "002-gpipe-r2"][1:-1]
        self.assertGreater(max(int(row["threads"]) for row in middle), 2)
        self.assertGreater(max(int(row["resident_bytes"]) for row in middle), 1 << 20)

    def test_verify_gives_certificates_and_nothing_else(self):
        ended = self.command("verify", "--config", self.write(tiny()), "--output", "out", "--filter", "r2",
                             "--set", "/measure/verify_steps=3")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("3 of 3 certificates hold.", ended.stdout)
        self.assertEqual(self.rows("epochs.csv"), [])
        for row in self.rows():
            self.assertEqual(row["certified"], "true")
            self.assertEqual(float(row["tolerance_loss"]), 1e-4)
            for name in ("step_seconds", "epoch_seconds", "final_train_loss", "budget_rest_seconds", "repetitions"):
                self.assertEqual(row[name], "", name)

    def test_groups_and_activations_without_bias_train_under_a_tensor_axis(self):
        first = {"kind": "conv2d", "name": "a", "channels": 8, "kernel": 3, "activation": "relu"}
        last = {"kind": "linear", "name": "fc", "features": "$classes"}
        without_bias = {"name": "b", "bias": False, "activation": "relu"}
        for layers in ([{"kind": "conv2d", "name": "b", "channels": 8, "kernel": 3, "groups": 2}, {"kind": "flatten"}],
                       [{"kind": "conv2d", "channels": 8, "kernel": 3} | without_bias, {"kind": "flatten"}],
                       [{"kind": "flatten"}, {"kind": "linear", "features": 16} | without_bias]):
            self.write({"name": "m", "sample": {"shape": [1, 8, 8], "classes": 4}, "layers": [first, *layers, last]},
                       "model.json")
            config = tiny()
            config["workload"]["model"] = {"kind": "graph", "file": "model.json"}
            config["workload"]["dataset"] |= {"shape": "1x8x8", "train_samples": 24, "validation_samples": 12}
            config["workload"]["global_batch"] = 12
            config["devices"]["ranks"] = [2, 3]
            config["strategies"] = ["tensor", {"kind": "hybrid", "mesh": {"data": 2, "tensor": 2}, "microbatches": 1}]
            for device in ("reference", "cpu"):
                config["devices"]["kind"] = device
                ended = self.command("verify", "--config", self.write(config))
                self.assertEqual(ended.returncode, 0, ended.stderr)
                self.assertIn("3 of 3 certificates hold.", ended.stdout)

    def test_verify_needs_steps_and_reports_a_failure(self):
        self.write(tiny())
        ended = self.command("verify", "--config", "experiment.json", "--set", "/measure/verify_steps=0")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("measure/verify_steps is 0", ended.stderr)
        ended = self.command("verify", "--config", "experiment.json", "--filter", "001",
                             "--set", "/training/optimizer/learning_rate=1e-30")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("  proves nothing: the weights' updates of the one-rank reference are zero", ended.stdout)
        self.assertIn("0 of 1 certificates hold; inconclusive: 1.", ended.stdout)

    def test_a_loss_that_explodes_is_a_status(self):
        rows = self.run_to_records(tiny(), "--set", "/training/optimizer/learning_rate=1e30", code=1)
        self.assertEqual({row["status"] for row in rows}, {"non_finite"})
        self.assertEqual({row["step_seconds"] for row in rows}, {""})
        self.assertIn("the loss became NaN in step 1", rows[0]["status_reason"])

    def test_a_certificate_that_proves_nothing_says_why(self):
        words = ["--filter", "001", "--set", "/training/optimizer/learning_rate=1e-30"]
        (row,) = self.run_to_records(tiny(), *words, code=1)
        self.assertEqual(row["status"], "ok")
        self.assertIn("updates of the one-rank reference are zero", row["certificate_reason"])

    def test_an_expected_failure_and_an_unsupported_case_are_no_failures(self):
        config = tiny()
        config["strategies"] = [{"kind": "ddp", "ranks": [2, 3]}]
        self.assertEqual([row["status"] for row in self.run_to_records(config)], ["ok", "unsupported"])
        self.assert_described()
        self.assertEqual(self.rows()[1]["budget_rest_seconds"], "")
        config["training"]["optimizer"]["learning_rate"] = 1e30
        config["strategies"] = [{"kind": "ddp", "ranks": 2, "expect": "non_finite"}]
        ended = self.command("--config", self.write(config), "--output", "exploded")
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_an_expected_failure_that_does_not_come_is_one(self):
        config = tiny()
        config["strategies"] = [{"kind": "ddp", "ranks": 2, "expect": "out_of_memory"}]
        (row,) = self.run_to_records(config, code=1)
        self.assertEqual((row["status"], row["status_reason"]), ("ok", "out_of_memory was expected"))

    def test_a_plan_that_does_not_fit_is_reported_before_it_runs(self):
        config = tiny()
        config["workload"]["model"]["hidden"] = [512, 512]
        config["workload"]["dataset"]["shape"] = "1x28x28"
        config["devices"]["memory_bytes"] = 5000000
        config["strategies"] = [{"kind": "ddp", "ranks": 2, "expect": "out_of_memory"}, {"kind": "tensor", "ranks": 2}]
        rows = self.run_to_records(config)
        self.assertEqual([row["status"] for row in rows], ["out_of_memory", "ok"])
        self.assertRegex(rows[0]["status_reason"], r"rank 0 needs .* \(\d+ bytes\), more than the .* \(5000000 bytes\)")
        self.assertEqual(rows[1]["certified"], "true")
        self.assertLess(int(rows[1]["peak_memory_bytes"]), 5000000)
        self.assertFalse((self.folder / "out/log/001-ddp-r2.log").exists())
        dry = self.command("--config", "experiment.json", "--dry-run").stdout
        self.assertIn("out of memory: rank 0 needs", dry)

    def test_a_failed_allocation_is_a_status(self):
        config = tiny()
        config["workload"]["model"]["hidden"] = [4096, 4096]
        config["strategies"] = [{"kind": "ddp", "ranks": 1, "expect": "out_of_memory"}]
        ended = self.command("--config", self.write(config), "--output", "out", preexec_fn=data_limit(150 << 20))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("could not be allocated", self.rows()[0]["status_reason"])

    def test_a_case_that_needs_more_than_the_memory_limit_fails_alone(self):
        if self.sanitized():
            self.skipTest("sanitizers take more than the limit for themselves")
        config = tiny()
        small = config["workload"]
        config["workload"] = [dict(small, model={"kind": "mlp", "hidden": [4096, 4096]}), small]
        config["strategies"] = ["single"]
        ended = self.command("--config", self.write(config), "--output", "out", "--memory-limit", "100M")
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertIn("memory limit: 100 MiB for the processes of a case", ended.stderr)
        reasons = [row["status_reason"] for row in self.rows()]
        self.assertEqual(sorted(row["status"] for row in self.rows()), ["ok", "out_of_memory"], reasons)
        (reason,) = [row["status_reason"] for row in self.rows() if row["status"] != "ok"]
        self.assertRegex(reason, "--memory-limit|control group")

    def test_a_case_trains_without_the_certificate_that_there_is_no_memory_for(self):
        if self.sanitized():
            self.skipTest("sanitizers take more than the limit for themselves")
        config = tiny()
        config["workload"]["model"]["hidden"] = [4096, 4096]
        config["strategies"] = [{"kind": "ddp", "ranks": 1}]
        limit = data_limit(420 << 20)
        ended = self.command("--config", self.write(config), "--output", "out", preexec_fn=limit)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        (row,) = self.rows()
        reason = r"not enough memory: needs \d+ MiB \(\d+ bytes\), \d+ MiB \(\d+ bytes\) available \(RLIMIT_DATA: ulimit -d or --memory-limit\)"
        self.assertRegex(row["certificate_reason"], f"^{reason}$")
        self.assertEqual((row["status"], row["certified"]), ("ok", "false"))
        self.assertNotEqual(row["final_train_loss"], "")
        self.assertRegex(ended.stdout, "no certificate: " + reason)

        alone = self.command("verify", "--config", "experiment.json", "--output", "verified", preexec_fn=limit)
        self.assertEqual(alone.returncode, 1, alone.stderr)
        self.assertRegex(alone.stdout, "(?s)no certificate:.*" + reason + ".*0 of 0 certificates hold")

    def test_a_cache_that_is_locked_or_odd_costs_a_line_and_no_case(self):
        cache = self.folder / "cache" / "ddlbench"
        cache.mkdir(parents=True)
        config = tiny()
        config["devices"] = {"ranks": [1], "kind": "cpu"}
        environment = {name: value for name, value in os.environ.items() if name != "DDLBENCH_NO_CACHE"}
        environment["XDG_CACHE_HOME"] = str(cache.parent)
        with open(cache / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            ended = self.command("--config", self.write(config), "--output", "out", "--filter", "001", env=environment)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        (log,) = (self.folder / "out" / "log").iterdir()
        self.assertIn(f"{cache}/lock is held by another process", log.read_text())

    def test_a_target_is_reached_after_an_epoch_or_never(self):
        config = tiny()
        config["training"]["epochs"] = 4
        config["strategies"] = ["single"]
        losses = [float(row["validation_loss"]) for row in self.run_epochs(config, "none")]
        self.assertEqual(losses, sorted(losses, reverse=True), "a training that gets better all the time")
        config["training"]["target"] = {"loss": (losses[1] + losses[2]) / 2}
        epochs = self.run_epochs(config, "reached")
        (row,) = self.rows(output="reached")
        self.assertEqual(row["epochs_to_target"], "3")
        self.assertEqual(row["steps_to_target"], epochs[2]["step"])
        self.assertAlmostEqual(float(row["seconds_to_target"]), sum(float(e["epoch_seconds"]) for e in epochs[:3]))
        (none,) = self.rows(output="none")
        self.assertEqual(row["contract_id"], none["contract_id"])
        config["training"]["target"] |= {"accuracy": 1.0}
        self.run_epochs(config, "both")
        self.assertEqual(self.rows(output="both")[0]["epochs_to_target"], "")

    def test_a_training_stops_at_its_target_within_an_epoch(self):
        config = tiny()
        config["strategies"] = ["single"]
        config["training"] |= {"epochs": 4, "stop_at_target": True, "target": {"accuracy": 0.0001, "every_steps": 2}}
        self.assertEqual(self.run_epochs(config, "stopped"), [])
        (row,), (validation,) = self.rows(output="stopped"), self.rows("validations.csv", "stopped")
        self.assert_described("stopped")
        self.assertEqual((row["steps_to_target"], row["epochs_to_target"], row["epochs"]), ("2", "1", "4"))
        self.assertEqual(row["seconds_to_target"], validation["trained_seconds"])
        self.assertEqual(row["epoch_seconds_source"], "extrapolated")
        self.assertEqual(row["final_accuracy_ratio"], validation["accuracy_ratio"])
        again = self.command("report", "stopped")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("of training, 2 steps, in epoch 1.", again.stdout)

    def run_epochs(self, config, output):
        ended = self.command("--config", self.write(config), "--output", output)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return self.rows("epochs.csv", output)

    def test_a_folder_with_records_is_not_written_to(self):
        self.run_to_records(tiny(), "--filter", "001")
        ended = self.command("--config", "experiment.json", "--output", "out", "--filter", "001")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("out is not empty", ended.stderr)
        self.assertEqual(len(self.rows()), 1)

    def test_two_runs_in_one_second_keep_apart(self):
        self.write(tiny())
        for _ in range(2):
            self.assertEqual(self.command("--config", "experiment.json", "--filter", "001").returncode, 0)
        folders = list((self.folder / "results").iterdir())
        self.assertEqual(len(folders), 2)
        for folder in folders:
            self.assertEqual(len(rows_of(folder / "cases.csv")), 1)


class Budgets(RecordsTest):
    def test_budgets_sum_to_the_step(self):
        config = tiny()
        config["workload"]["model"]["hidden"] = [512, 512]
        config["workload"]["dataset"] |= {"shape": "1x28x28", "train_samples": 256}
        config["workload"]["global_batch"] = 128
        config["measure"] = {"warmup_steps": 3, "steps": 20, "repetitions": 1, "verify_steps": 0, "interleave": False}
        for row in self.run_to_records(config):
            step = float(row["step_seconds"])
            budget = sum(float(value) for name, value in row.items() if name.startswith("budget_"))
            self.assertAlmostEqual(budget / step, 1, delta=0.01, msg=row["case_id"])
            self.assertLessEqual(float(row["budget_rest_seconds"]) / step, 0.05, row["case_id"])
            self.assertGreaterEqual(float(row["budget_rest_seconds"]), 0, row["case_id"])
            self.assertGreater(float(row["budget_forward_seconds"]), 0, row["case_id"])
            self.assertGreater(float(row["budget_backward_seconds"]), 0, row["case_id"])


if __name__ == "__main__":
    unittest.main()
