"""Resuming runs: nothing that was finished is lost or run twice.

    resume.py BINARY [KILLS [SEED]]
"""

import collections
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

KILLS = int(sys.argv.pop(2)) if len(sys.argv) > 2 else 40
SEED = int(sys.argv.pop(2)) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)

from harness import BINARY, CommandTest, lasting, tiny, wait_until  # noqa: E402 (the import takes the binary from the arguments)

# What two trainings of the same case have in common, whatever the machine did meanwhile.
SAME = ["schema_version", "case_id", "contract_id", "seed", "status", "status_reason", "strategy", "promise", "ranks",
        "mesh", "final_accuracy_ratio"]
SAME_OF_EPOCHS = ["case_id", "epoch", "train_loss", "validation_loss", "accuracy_ratio"]


def sweep():
    """Returns an experiment of several quick cases, of which one fails."""
    config = tiny()
    config["strategies"].append({"kind": "ddp", "bucket_mebibytes": 0.001, "ranks": 2})
    config["training"]["epochs"] = 2
    config["training"]["seed"] = [1, 2]
    config["measure"]["verify_steps"] = 1
    config["measure"]["steps"] = config["measure"]["repetitions"] = 1
    return config


class Resume(CommandTest):
    def journal(self, output="out"):
        with open(self.folder / output / "journal.jsonl") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def records(self, kind, output="out"):
        return [entry["record"] for entry in self.journal(output) if entry["kind"] == kind]

    def common(self, table, columns, output):
        return [{name: row[name] for name in columns} for row in self.rows(table, output)]

    def assert_same_results(self, first, second):
        for table, columns in (("cases.csv", SAME), ("epochs.csv", SAME_OF_EPOCHS)):
            self.assertEqual(self.common(table, columns, first), self.common(table, columns, second), table)

    def finished_cases(self):
        return {record["case_id"] for record in self.records("case") if record["status"] == "ok"}

    def run_until_killed(self, words, seconds):
        """Returns whether the supervisor was killed before its end."""
        process = subprocess.Popen([BINARY, *words], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        try:
            _, err = process.communicate(timeout=seconds)
            self.assertEqual(process.returncode, 0, err)
            return False
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return True

    def test_a_supervisor_that_is_killed_at_any_moment_loses_nothing(self):
        chance = random.Random(SEED)
        config = self.write(sweep())
        begin = time.monotonic()
        whole = self.command("--config", config, "--output", "whole")
        longest = max(0.3, (time.monotonic() - begin) / 4)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        kills = 0
        while kills < KILLS:
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            start = ["--config", config, "--output", "out"]
            finished = set()
            patience = longest
            while self.run_until_killed(start, chance.uniform(0.01, patience)):
                kills += 1
                patience *= 1.05  # on a machine that has become busy, a case may last longer than the first attempts
                planned = (self.folder / "out/journal.jsonl").exists() and self.records("plan")
                if not planned:  # killed before it began
                    shutil.rmtree(self.folder / "out", ignore_errors=True)
                    continue
                self.assertEqual(self.command("report", "out").returncode, 0)
                self.assertLessEqual(finished, self.finished_cases())
                finished = self.finished_cases()
                start = ["--resume", "out"]
            with self.subTest(seed=SEED, kills=kills):
                counts = collections.Counter(record["case_id"] for record in self.records("case"))
                self.assertEqual(set(counts.values()), {1}, counts)
                self.assert_same_results("whole", "out")
                self.assertFalse((self.folder / "out/lock").exists())

    def test_a_run_that_was_stopped_says_what_is_left_and_continues(self):
        run = self.start(lasting())
        run.in_case(2)
        run.process.send_signal(signal.SIGTERM)
        stopped = run.end()
        self.assertEqual(stopped.returncode, 143)
        self.assertTrue(stopped.stdout.startswith("Not complete: 1 of 3 cases have ended; ddlbench --resume out"),
                        stopped.stdout)
        self.assertIn("No recommendation yet", stopped.stdout)
        left = self.command("--resume", "out", "--dry-run")
        self.assertEqual(left.returncode, 0, left.stderr)
        self.assertIn("1 of 3 cases have ended; 2 left to run, 2 of them again", left.stderr)
        self.assertNotIn("001-", left.stdout)
        self.assertIn("002-", left.stdout)
        refused = self.command("--resume", "out", "--set", "/training/epochs=25")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("configuration: training/epochs: was 24, is 25", refused.stderr)
        resumed = self.command("--resume", "out")
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertEqual(self.statuses(), ["ok", "ok", "ok"])
        self.assertEqual([row["attempts"] for row in self.rows()], ["1", "2", "1"])
        nothing = self.command("--resume", "out")
        self.assertEqual(nothing.returncode, 0)
        self.assertIn("3 of 3 cases have ended; 0 left to run", nothing.stderr)
        self.assertEqual(nothing.stdout.splitlines()[:3], resumed.stdout.splitlines()[:3])

    def assert_stopped(self, ended, code, reason):
        self.assertEqual(ended.returncode, code, ended.stderr)
        self.assertEqual(self.statuses(), ["interrupted", "skipped", "skipped"])
        self.assertIn(reason, self.rows()[0]["status_reason"])
        self.assertIn("3 left to run, 3 of them again", self.command("--resume", "out", "--dry-run").stderr)

    def test_a_time_limit_stops_a_case_that_does_not_end(self):
        config = lasting()
        config["training"]["epochs"] = 100000
        ended = self.start(config, "--time-limit", "4s").end()
        self.assert_stopped(ended, 142, "stopped by the time limit in phase ")

    def test_the_end_of_a_slurm_job_is_a_time_limit(self):
        config = lasting()
        config["training"]["epochs"] = 100000
        environment = os.environ | {"SLURM_JOB_END_TIME": str(int(time.time()) + 5)}
        ended = self.start(config, env=environment).end()
        self.assert_stopped(ended, 142, "stopped by the time limit in phase ")
        self.assertRegex(ended.stderr, r"ddlbench: time limit: [345] s, until the Slurm job ends \(SLURM_JOB_END_TIME\)\n")

    def test_the_signal_before_the_end_of_a_job_stops_a_run(self):
        config = lasting()
        config["training"]["epochs"] = 100000
        run = self.start(config)
        run.in_case(1)
        run.process.send_signal(signal.SIGUSR2)
        self.assert_stopped(run.end(), 140, "stopped by signal 12 (SIGUSR2) in phase ")

    def test_a_stopped_training_saves_and_continues_bitwise(self):
        config = lasting()
        config["strategies"] = [{"kind": "gpipe", "ranks": 2, "microbatches": 4}]
        config["training"]["checkpoint"] = {"save": "saved"}
        self.assertEqual(self.command("--config", self.write(config), "--output", "whole").returncode, 0)
        shutil.rmtree(self.folder / "saved")
        run = self.start(config)
        wait_until(lambda: (self.folder / "out/journal.jsonl").exists() and len(self.records("epoch")) >= 2, "two epochs")
        run.process.send_signal(signal.SIGTERM)
        stopped = run.end()
        self.assertEqual(stopped.returncode, 143, stopped.stderr)
        reason = self.rows()[0]["status_reason"]
        found = re.search(r"stopped by signal 15 \(SIGTERM\) in phase .*: stopped after step (\d+) in epoch (\d+)", reason)
        self.assertTrue(found, reason)
        resumed = self.command("--resume", "out")
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertEqual(self.records("case_started")[1]["resumed_step"], int(found[1]))
        self.assert_same_results("whole", "out")
        self.assertFalse((self.folder / "out/stop").exists())

    def test_what_changed_is_named(self):
        config = tiny()
        config["strategies"] = ["single"]
        self.assertEqual(self.command("--config", self.write(config), "--output", "out").returncode, 0)
        config["training"]["epochs"] = 2
        other = self.write(config, "other.json")
        refused = self.command("--resume", "out", "--config", other)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("configuration: training/epochs: was 1, is 2", refused.stderr)
        environment = self.folder / "out/environment.json"
        text = json.loads(environment.read_text())
        text["cpu"], text["build"]["program_id"] = "Abacus", "0123"
        text["openmp_variables"]["OMP_PROC_BIND"] = "spread"
        environment.write_text(json.dumps(text))
        refused = self.command("--resume", "out")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("machine: cpu: was Abacus, is ", refused.stderr)
        self.assertIn("machine: openmp_variables.OMP_PROC_BIND: was spread", refused.stderr)
        self.assertIn("program: build.program_id: was 0123, is ", refused.stderr)
        accepted = self.command("--resume", "out", "--accept-changes")
        self.assertEqual(accepted.returncode, 0, accepted.stderr)
        self.assertIn("accepted: machine: cpu: was Abacus", accepted.stderr)
        changes = json.loads(environment.read_text())["resumptions"][-1]["changes"]
        self.assertIn("Abacus", changes[-2])
        self.assertIn("OMP_PROC_BIND", changes[-1])

    def refused(self, message, *words):
        ended = self.command(*words)
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertIn(message, ended.stderr)

    def test_accepted_changes_of_the_configuration_stay(self):
        config = tiny()
        config["strategies"] = ["single"]
        self.assertEqual(self.command("--config", self.write(config), "--output", "out").returncode, 0)
        journal = self.folder / "out/journal.jsonl"
        journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:1]))
        change = ["--set", "/training/optimizer/learning_rate=0.02"]
        self.refused("was 0.05, is 0.02", "--resume", "out", *change)
        accepted = self.command("--resume", "out", *change, "--accept-changes")
        self.assertEqual(accepted.returncode, 0, accepted.stderr)
        self.assertNotIn("Not complete", accepted.stdout)
        again = self.command("--resume", "out", *change)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("1 of 1 cases have ended; 0 left to run", again.stderr)
        contracts = {one["contract_id"] for one in self.rows()}
        self.assertEqual({contract for _, contract, *_ in self.records("plan")[-1]["cases"]}, contracts)

    def test_folders_that_cannot_be_resumed_say_why(self):
        config = tiny()
        config["strategies"] = ["single"]
        self.assertEqual(self.command("--config", self.write(config), "--output", "out").returncode, 0)
        self.refused("out: is not a run of `ddlbench verify`", "verify", "--resume", "out")
        file = self.folder / "out/config.json"
        file.write_text(file.read_text() + "\n")
        self.refused("out/config.json: was changed after the run had written it", "--resume", "out")
        (self.folder / "out/environment.json").unlink()
        for words in ([], ["--accept-changes"]):
            self.refused("out: cannot be resumed: environment.json cannot be read", "--resume", "out", *words)

    def test_a_run_without_its_rounds_is_not_complete(self):
        config = tiny()
        config["strategies"] = [{"kind": "ddp", "ranks": [1, 2]}]
        config["devices"]["threads_per_rank"] = 1
        config["measure"] |= {"verify_steps": 1, "interleave": True, "visit_seconds": 0.01, "precision": 0.99,
                              "max_seconds": 20}
        self.assertEqual(self.command("--config", self.write(config), "--output", "out").returncode, 0)
        journal = self.folder / "out/journal.jsonl"
        lines = journal.read_text().splitlines(keepends=True)
        visits = [i for i, line in enumerate(lines) if '"kind":"visit"' in line]
        journal.write_text("".join(lines[:visits[3]]))
        left = "Not complete: 2 of 2 cases have ended, but not the rounds of a contract; ddlbench --resume out runs what is left."
        reported = self.command("report", "out").stdout
        self.assertIn(left, reported)
        self.assertIn("No recommendation yet: the rounds in which its cases take turns have not ended.", reported)
        self.assertIn("0 left to run; the rounds of a contract are left", self.command("--resume", "out", "--dry-run").stderr)
        resumed = self.command("--resume", "out")
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertNotIn("Not complete", resumed.stdout)
        self.assertEqual(len(self.records("case_started")), 2)
        self.assertEqual(len(self.records("rounds")), 1)

    def test_changed_data_are_named(self):
        data = self.folder / "data.txt"
        data.write_text("a b c d e f g h " * 400)
        config = tiny()
        config["workload"] = {"model": {"kind": "tiny-gpt", "layers": 1, "heads": 1, "hidden": 8},
                              "dataset": {"kind": "text", "path": "data.txt", "sequence_length": 16},
                              "global_batch": 4}
        config["strategies"] = ["single"]
        config["devices"]["ranks"] = 1
        ran = self.command("--config", self.write(config), "--output", "out")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        data.write_text("h g f e d c b a " * 400)
        refused = self.command("--resume", "out")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("data: the contract of 001-single-r1 was ", refused.stderr)

    def test_a_folder_that_cannot_be_resumed_is_named(self):
        (self.folder / "empty").mkdir()
        for words, message in ((["--resume", "nowhere"], "nowhere: no such folder"),
                               (["--resume", "empty"], "empty: has no journal.jsonl"),
                               (["--resume", "empty", "--output", "x"], "--output x: --resume runs all that is left of the run in empty; leave it out"),
                               (["--retry", "failed", "experiment.json"], "--retry is for a run that continues: --resume DIR"),
                               (["--resume", "empty", "--retry", "all"], "unknown value 'all'; available: failed")):
            with self.subTest(words=words):
                ended = self.command(*words)
                self.assertEqual(ended.returncode, 2)
                self.assertIn(message, ended.stderr)

    def test_a_run_that_goes_on_is_not_resumed(self):
        run = self.start(lasting())
        run.in_case(1)
        refused = self.command("--resume", "out")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("is being written by process", refused.stderr)


if __name__ == "__main__":
    print("seed", SEED)
    unittest.main()
