"""Shards of a sweep, and folders that join runs."""

import json
import signal
import unittest

from harness import CommandTest, lasting, tiny

# Columns that do not depend on the run.
SAME = ["case_id", "contract_id", "baseline_case_id", "status", "strategy", "ranks", "final_accuracy_ratio"]


def two_contracts():
    config = tiny()
    config["strategies"] = ["single", {"kind": "ddp", "ranks": 2}]
    config["devices"]["ranks"] = [1]
    config["training"]["seed"] = [1, 2]
    config["measure"] |= {"verify_steps": 1, "steps": 1, "repetitions": 1}
    return config


class Merge(CommandTest):
    def ran(self, *words):
        ended = self.command(*words)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended

    def rejected(self, message, *words):
        ended = self.command(*words)
        self.assertEqual(ended.returncode, 2, ended.stdout)
        self.assertIn(message, ended.stderr)
        self.assertFalse((self.folder / "joined").exists())

    def common(self, output):
        return [{name: row[name] for name in SAME} for row in self.rows(output=output)]

    def shards(self):
        config = self.write(two_contracts())
        for number in (1, 2):
            self.ran("--config", config, "--shard", f"{number}/2", "--output", f"part{number}")
        return config

    def change(self, folder, key, value):
        path = self.folder / folder / "environment.json"
        environment = json.loads(path.read_text())
        environment[key] = value
        path.write_text(json.dumps(environment))

    def test_shards_join_to_the_whole(self):
        config = self.shards()
        self.ran("--config", config, "--output", "whole")
        merged = self.ran("merge", "part2", "part1", "--output", "joined")
        self.assertEqual(merged.stdout, "joined: 4 of 4 cases have ended, from 2 runs on one kind of machine\n")
        self.assertEqual(self.common("joined"), self.common("whole"))
        for table in ("epochs.csv", "ranks.csv"):
            self.assertEqual([row["case_id"] for row in self.rows(table, "joined")],
                             [row["case_id"] for row in self.rows(table, "whole")])
        self.assert_described("joined")
        for kind, suffix in (("trace", ".json"), ("log", ".log")):
            for row in self.rows(output="joined"):
                self.assertTrue((self.folder / "joined" / kind / (row["case_id"] + suffix)).exists())
        environment = json.loads((self.folder / "joined/environment.json").read_text())
        self.assertEqual([one["folder"] for one in environment["merged"]], ["part2", "part1"])
        reported = self.ran("report", "joined")
        self.assertEqual(reported.stdout.count("Contract "), 2)

    def test_rounds_of_parts_of_a_contract_are_kept_and_not_paired(self):
        config = two_contracts()
        config["training"]["seed"] = 1
        config["strategies"] = ["single", {"kind": "ddp", "ranks": 2}, {"kind": "zero", "ranks": 2, "stage": 1}]
        config["measure"] |= {"interleave": True, "visit_seconds": 0.01, "max_seconds": 8, "precision": 0.9}
        path = self.write(config)
        parts = {"part1": "single|ddp", "part2": "zero"}
        for part, cases in parts.items():
            self.ran("--config", path, "--filter", cases, "--output", part)
        self.ran("merge", *parts, "--output", "joined")
        visits = {part: self.rows("visits.csv", part) for part in [*parts, "joined"]}
        self.assertTrue(visits["part1"] and visits["part2"])
        self.assertEqual(len(visits["joined"]), len(visits["part1"]) + len(visits["part2"]))
        rounds = {part: {row["round"] for row in visits["joined"] if row["case_id"] in {row["case_id"] for row in visits[part]}}
                  for part in parts}
        self.assertFalse(rounds["part1"] & rounds["part2"])
        own = {row["case_id"]: row["step_seconds"] for part in parts for row in self.rows(output=part)}
        self.assertEqual({row["case_id"]: row["step_seconds"] for row in self.rows(output="joined")}, own)
        self.assertTrue((self.folder / "joined/log/001-single-r1.visit.log").exists())

    def test_machines_of_different_kinds_are_not_ranked_together(self):
        config = self.write(two_contracts())
        for folder in ("here", "there"):
            self.ran("--config", config, "--filter", "s1", "--output", folder)
        self.change("there", "cpu", "Abacus")
        self.change("there", "host", "node7")
        merged = self.ran("merge", "here", "there", "--output", "joined")
        self.assertIn("on 2 kinds of machine", merged.stdout)
        rows = self.rows(output="joined")
        self.assertEqual(len(rows), 4)
        self.assertEqual(len({row["contract_id"] for row in rows}), 2)
        there = [row for row in rows if row["case_id"].endswith("@node7")]
        self.assertEqual(len(there), 2)
        for row in there:
            self.assertTrue(row["contract_id"].endswith("@node7"))
            self.assertTrue(row["baseline_case_id"].endswith("@node7"))
        self.assertEqual(self.ran("report", "joined").stdout.count("Contract "), 2)

    def test_what_cannot_be_joined_is_named(self):
        config = self.shards()
        self.rejected("ended in part1 and in part1", "merge", "part1", "part1", "--output", "joined")
        self.ran("--config", config, "--filter", "single", "--output", "other", "--set", "/training/epochs=2")
        self.rejected("part1 and other have different configurations: training/epochs (1 → 2)", "merge", "part1", "other",
                      "--output", "joined")
        build = json.loads((self.folder / "part2/environment.json").read_text())["build"]
        self.change("part2", "build", build | {"git_commit": "0123"})
        self.rejected("part1 and part2 are runs of different programs: build.git_commit", "merge", "part1", "part2",
                      "--output", "joined")
        self.rejected("nowhere: no such folder", "merge", "part1", "nowhere", "--output", "joined")
        self.rejected("expected I/N", "--config", config, "--shard", "3", "--output", "joined")
        self.ran("merge", "part1", "part2", "--output", "joined", "--accept-changes")

    def test_a_case_is_taken_from_the_run_in_which_it_ended(self):
        run = self.start(lasting())
        run.in_case(2)
        run.process.send_signal(signal.SIGTERM)
        run.end()
        self.rejected("001-ddp-r1 ended in", "merge", "out", "out", "--output", "joined")
        self.ran("--config", "experiment.json", "--filter", "00[23]-", "--output", "rest")
        merged = self.ran("merge", "out", "rest", "--output", "joined")
        self.assertIn("3 of 3 cases have ended", merged.stdout)
        self.assertEqual([row["status"] for row in self.rows(output="joined")], ["ok", "ok", "ok"])
        epochs = [row for row in self.rows("epochs.csv", "joined") if row["case_id"].startswith("002-")]
        self.assertEqual(len(epochs), 24)


if __name__ == "__main__":
    unittest.main()
