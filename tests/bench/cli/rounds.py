"""Rounds: the cases of a contract are timed again in turns."""

import json
import shutil
import signal
import subprocess
import unittest

from harness import BINARY, CommandTest, rows_of, tiny, wait_until


def in_rounds(**measure):
    """Returns an experiment of three cases with short visits."""
    config = tiny()
    config["strategies"] = ["single", {"kind": "ddp", "ranks": 2}]
    config["devices"]["ranks"] = [1]
    config["measure"] |= {"interleave": True, "visit_seconds": 0.01, "precision": 0.99, "max_seconds": 20, **measure}
    return config


class Rounds(CommandTest):
    def assert_in_order(self, visits):
        """Checks that each round visits each case once, if all visits ran at once, or else twice, mirrored."""
        for number in {row["round"] for row in visits}:
            turns = [(row["case_id"], row["control"]) for row in visits if row["round"] == number]
            if all(row["time_slice_seconds"] for row in visits if row["round"] == number):
                self.assertEqual(len(turns), len(set(turns)))
            else:
                self.assertEqual(turns, turns[::-1])
            self.assertEqual([int(row["place"]) for row in visits if row["round"] == number], list(range(1, len(turns) + 1)))

    def test_rows_have_the_times_of_their_rounds(self):
        ended = self.command("--config", self.write(in_rounds()), "--output", "out")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn(" Basis: ", ended.stdout)
        self.assertIn("a second copy of the baseline was ", ended.stdout)
        cases, visits = self.rows(), self.rows("visits.csv")
        self.assert_described()
        self.assert_in_order(visits)
        self.assertGreater(len(visits), 0)
        self.assertEqual({row["status"] for row in visits}, {"ok"})
        self.assertTrue(any(row["control"] == "true" for row in visits))
        for row in cases:
            self.assertIn(row["rounds_ended_by"], ("precision", "max_seconds"))
            self.assertGreaterEqual(int(row["rounds"]), 2)
            step = float(row["step_seconds"])
            self.assertLessEqual(float(row["step_seconds_low"]), step)
            self.assertGreaterEqual(float(row["step_seconds_high"]), step)
            own = [float(visit["step_seconds"]) for visit in visits
                   if visit["case_id"] == row["case_id"] and visit["control"] == "false"]
            self.assertGreaterEqual(step, min(own))
            self.assertLessEqual(step, max(own))
            budget = sum(float(row[name]) for name in row if name.startswith("budget_"))
            self.assertAlmostEqual(budget / step, 1, places=6)
            self.assertAlmostEqual(float(row["samples_per_second"]) * step, 16, places=6)
        ranked = [row for row in cases if row["baseline_case_id"] != row["case_id"]]
        for row in ranked:
            self.assertIn(row["verdict"], ("faster", "slower", "same", "ambiguous"))
            self.assertLessEqual(float(row["speedup_low_ratio"]), float(row["speedup_ratio"]))
            self.assertGreaterEqual(float(row["speedup_high_ratio"]), float(row["speedup_ratio"]))

    def test_visits_run_at_once_unless_that_is_turned_off(self):
        for time_slices in (True, False):
            config = self.write(in_rounds(visit_seconds=0.1, max_seconds=6, time_slices=time_slices))
            ended = self.command("--config", config, "--output", f"out-{time_slices}")
            self.assertEqual(ended.returncode, 0, ended.stderr)
            visits = rows_of(self.folder / f"out-{time_slices}" / "visits.csv")
            self.assertEqual({row["status"] for row in visits}, {"ok"})
            for row in visits:
                self.assertEqual(row["time_slice_seconds"] != "", time_slices)
                self.assertGreaterEqual(float(row["time_slice_seconds"] or 1), 0.025)
            self.assert_in_order(visits)

    def test_without_time_for_two_rounds_there_are_none(self):
        ended = self.command("--config", self.write(in_rounds(max_seconds=0)), "--output", "out")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("no rounds: two would take about ", ended.stderr)
        self.assertEqual(self.rows("visits.csv"), [])
        self.assertTrue(all(row["rounds"] == "" for row in self.rows()))

    def test_a_signal_during_the_rounds_keeps_the_complete_ones(self):
        run = self.start(in_rounds(precision=1e-9, max_seconds=600))
        visits = run.output / "visits.csv"
        wait_until(lambda: (run.output / "journal.jsonl").is_file()
                   and (run.output / "journal.jsonl").read_text().count('"kind":"visit"') >= 14, "two rounds")
        run.process.send_signal(signal.SIGTERM)
        ended = run.end()
        self.assertEqual(ended.returncode, 143)
        self.assertIn("records: ", ended.stdout)
        self.assertTrue(visits.is_file())
        rounds = [row["rounds_ended_by"] for row in self.rows()]
        self.assertEqual(set(rounds), {"interrupted"})
        self.assertEqual(json.loads((run.output / "journal.jsonl").read_text().splitlines()[-1])["kind"], "visit")
        self.assertEqual(self.statuses(), ["ok"] * len(rounds))

    @unittest.skipUnless(shutil.which("mpiexec"), "needs mpiexec")
    def test_the_ranks_of_a_launcher_take_turns_too(self):
        self.write(in_rounds())
        ended = subprocess.run(["mpiexec", "-n", "2", BINARY, "--config", "experiment.json", "--output", "out"],
                               cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        visits = self.rows("visits.csv")
        self.assertGreater(len(visits), 0)
        self.assert_in_order(visits)
        self.assertEqual({row["others_cpu_ratio"] for row in visits}, {""})


if __name__ == "__main__":
    unittest.main()
