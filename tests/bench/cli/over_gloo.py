"""Cases whose ranks are processes that ddlbench starts without an MPI launcher."""

import glob
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from harness import CommandTest, lasting, tiny, wait_until


class OverGloo(CommandTest):
    def run_over_gloo(self, config, *words):
        config["devices"]["transport"] = "gloo"
        return self.command("--config", self.write(config), "--output", "out", *words)

    def test_certificates_are_those_of_threads(self):
        config = tiny()
        threads = self.command("--config", self.write(config), "--output", "threads")
        ended = self.run_over_gloo(config)
        for one in (threads, ended):
            self.assertEqual(one.returncode, 0, one.stderr)
        for one, other in zip(self.rows(output="threads"), self.rows(), strict=True):
            self.assertEqual((one["certified"], other["certified"], other["transport"]), ("true", "true", "gloo"))
            self.assertEqual(one["contract_id"], other["contract_id"])
        log = next((self.folder / "out/log").glob("*-ddp-r2.log"))
        self.assertIn("rank 1: process ", log.read_text())

    def test_no_launcher_is_needed(self):
        config = tiny()
        config["strategies"] = [{"kind": "ddp", "ranks": 2}]
        config["devices"]["transport"] = "gloo"
        ended = self.command("--config", self.write(config), "--output", "out", env=os.environ | {"PATH": "/nowhere"})
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(self.statuses(), ["ok"])

    def disturbed(self, number, timeout):
        """Disturbs rank 1 of a case that would run for long, and returns the row of the case."""
        config = lasting()
        config["devices"]["transport"] = "gloo"
        config["measure"]["timeout_seconds"] = timeout
        config["training"]["epochs"] = 100000
        config["strategies"] = config["strategies"][1:2]
        run = self.start(config)
        log = self.folder / "out/log/001-gpipe-r2.log"

        def rank_1():
            found = re.search(r"^rank 1: process (\d+) on", log.read_text(), re.MULTILINE) if log.exists() else None
            return found and int(found[1])

        process = wait_until(rank_1, "rank 1")
        time.sleep(0.3)
        os.kill(process, number)
        disturbed = time.monotonic()
        ended = run.end()
        self.assertLess(time.monotonic() - disturbed, timeout + 10)
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assert_no_orphan(run)
        return self.rows()[0]

    def test_a_killed_rank_is_named(self):
        row = self.disturbed(signal.SIGKILL, 20)
        self.assertEqual(row["status"], "lost_rank")
        self.assertRegex(row["status_reason"], r"^rank 1 \(process \d+ on .*\) was killed by signal 9 \(SIGKILL\)")

    def test_a_stopped_rank_is_named(self):
        row = self.disturbed(signal.SIGSTOP, 8)
        self.assertEqual(row["status"], "lost_rank")
        self.assertRegex(row["status_reason"], r"rank 1 \(process \d+\) was stopped")

    def test_a_link_that_stalls_is_named(self):
        row = self.row_of_stalled_link("gloo")
        self.assertRegex(row["status_reason"], "waited 6400 ms for rank 1|rank 1 waited 6400 ms for its own link")

    def test_a_rank_that_ends_before_it_connects_is_named(self):
        began = time.monotonic()
        # Without a request, rank 0 ends with code 2, for which rank 1 would wait a minute.
        ended = self.command("start-ranks", "3", stdin=subprocess.DEVNULL)
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual(ended.returncode, 2)
        self.assertRegex(ended.stdout, r"rank 0 \(process \d+ on [^)]+\) ended with code 2, and other ranks still ran 3 s")

    def test_old_folders_of_killed_runs_are_removed(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, age in (("ddlbench-ranks-old", 7200), ("ddlbench-ranks-new", 60), ("ddlbench-other", 7200)):
                path = pathlib.Path(folder) / name
                path.mkdir()
                (path / "0").touch()
                os.utime(path, (time.time() - age,) * 2)
            self.command("start-ranks", "1", stdin=subprocess.DEVNULL, env=os.environ | {"TMPDIR": folder})
            self.assertEqual(sorted(os.listdir(folder)), ["ddlbench-other", "ddlbench-ranks-new"])

    def test_no_files_are_left(self):
        with tempfile.TemporaryDirectory() as folder:
            config = tiny()
            config["strategies"] = [{"kind": "ddp", "ranks": 2}]
            config["devices"]["transport"] = "gloo"
            ended = self.command("--config", self.write(config), "--output", "out",
                                 env=os.environ | {"TMPDIR": folder})
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertEqual(glob.glob(f"{folder}/ddlbench-ranks-*"), [])


if __name__ == "__main__":
    unittest.main()
