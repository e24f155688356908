"""Cases whose ranks are processes: started by ddlbench itself, or by a person's own mpiexec."""

import json
import os
import re
import signal
import subprocess
import time
import unittest

from harness import BINARY, PATIENCE_SECONDS, CommandTest, lasting, tiny, wait_until


def alive(process):
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):  # the latter where it ended since the file was opened
        return False


class OverMpi(CommandTest):
    def mpiexec(self, ranks, *words, **how):
        how = {"capture_output": True, "text": True, "timeout": PATIENCE_SECONDS, "cwd": self.folder} | how
        return subprocess.run(["mpiexec", "-n", str(ranks), BINARY, *words], **how)

    def processes_of(self, case):
        """Of a running case's ranks, by rank, from its log."""
        log = self.folder / "out/log" / f"{case}.log"

        def found():
            if not log.exists():
                return None
            told = dict(re.findall(r"^rank (\d+): process (\d+) on", log.read_text(), re.MULTILINE))
            return [int(told[rank]) for rank in sorted(told)] if len(told) == 2 else None

        return wait_until(found, f"the ranks of {case}")

    def started(self, case):
        """Its processes, when it has begun to train."""
        processes = self.processes_of(case)
        time.sleep(0.3)
        return processes


class StartedAlone(OverMpi):
    def disturbed(self, number, rank, timeout):
        """Of three cases the second is disturbed: its row, after the others have finished."""
        config = lasting()
        config["devices"]["transport"] = "mpi"
        config["measure"]["timeout_seconds"] = timeout
        config["training"]["epochs"] = 200
        config["workload"]["dataset"]["train_samples"] = 800
        run = self.start(config)
        processes = self.started("002-gpipe-r2")
        os.kill(processes[rank], number)
        disturbed = time.monotonic()
        wait_until(lambda: (self.folder / "out/log/003-tensor-r1.log").exists(), "the next case")
        self.assertLess(time.monotonic() - disturbed, timeout + 10)
        ended = run.end()
        self.assertEqual(ended.returncode, 1, ended.stderr)
        rows = self.rows()
        self.assertEqual([row["status"] for row in rows[::2]], ["ok", "ok"])
        wait_until(lambda: not any(map(alive, processes)), "the end of the ranks")
        return rows[1]

    def test_without_a_launcher_nothing_is_begun(self):
        config = tiny()
        config["devices"]["transport"] = "mpi"
        ended = self.command("--config", self.write(config), "--output", "out", env=os.environ | {"PATH": "/nowhere"})
        self.assertEqual(ended.returncode, 2)
        self.assertIn("mpiexec is not in PATH", ended.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_certificates_are_those_of_threads(self):
        config = tiny()
        threads = self.command("--config", self.write(config), "--output", "threads")
        processes = self.command("--config", "experiment.json", "--output", "mpi", "--set", "/devices/transport=mpi")
        for ended in (threads, processes):
            self.assertEqual(ended.returncode, 0, ended.stderr)
        for one, other in zip(self.rows(output="threads"), self.rows(output="mpi"), strict=True):
            self.assertEqual((one["certified"], other["certified"], other["transport"]), ("true", "true", "mpi"))
            self.assertEqual(one["contract_id"], other["contract_id"])

    def test_a_killed_rank_is_named(self):
        row = self.disturbed(signal.SIGKILL, 1, 20)
        self.assertEqual(row["status"], "lost_rank")
        self.assertRegex(row["status_reason"], r"^rank 1 \(process \d+ on .*\) was killed by signal 9 \(SIGKILL\)")

    def test_a_crashed_rank_is_named(self):
        row = self.disturbed(signal.SIGSEGV, 0, 20)
        self.assertEqual(row["status"], "crashed")
        self.assertRegex(row["status_reason"], r"^rank 0 \(process \d+ on .*\) was killed by signal 11 \(SIGSEGV\)")

    def test_a_stopped_rank_is_named(self):
        row = self.disturbed(signal.SIGSTOP, 1, 3)
        self.assertEqual(row["status"], "lost_rank")
        self.assertRegex(row["status_reason"], r"rank 1 \(process \d+\) was stopped")

    def test_a_stopped_rank_0_is_named(self):
        row = self.disturbed(signal.SIGSTOP, 0, 3)
        self.assertEqual(row["status"], "lost_rank")
        self.assertRegex(row["status_reason"], r"rank 0 \(process \d+\) was stopped")

    def test_no_rank_outlives_its_supervisor(self):
        config = lasting()
        config["devices"]["transport"] = "mpi"
        config["training"]["epochs"] = 10000
        config["strategies"] = config["strategies"][1:2]
        run = self.start(config)
        processes = self.started("001-gpipe-r2")
        run.process.kill()
        run.process.communicate()
        wait_until(lambda: not any(map(alive, processes)), "the end of the ranks")


class UnderMpiexec(OverMpi):
    def test_cases_run_in_the_ranks_that_are_there(self):
        config = tiny()
        config["devices"]["ranks"] = [1, 2, 4]
        ended = self.mpiexec(2, "--config", self.write(config), "--output", "out", "--filter", "ddp|single")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("transport mpi in place of threads", ended.stderr)
        self.assertEqual(ended.stdout.count("records: out"), 1)
        rows = self.rows()
        self.assertEqual([row["status"] for row in rows], ["ok", "ok", "ok", "unsupported"])
        self.assertIn("start with mpiexec -n 4", rows[3]["status_reason"])
        self.assertEqual([row["certified"] for row in rows[:3]], ["true"] * 3)
        self.assertEqual({row["transport"] for row in rows}, {"mpi"})

    def test_a_case_that_fails_leaves_the_ranks_to_the_next(self):
        config = tiny()
        config["training"]["optimizer"]["learning_rate"] = 1e30
        ended = self.mpiexec(2, "--config", self.write(config), "--output", "out")
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertEqual({row["status"] for row in self.rows()}, {"non_finite"})

    def test_mistakes_are_told_once_and_end_all_ranks(self):
        self.write(tiny())
        for words in (["--bogus"], ["--config", "experiment.json", "--filter", "nothing"],
                      ["--config", "experiment.json", "--set", "/training/epochs=x"]):
            ended = self.mpiexec(2, *words)
            self.assertEqual(ended.returncode, 2, ended.stderr)
            self.assertEqual(len(re.findall("not expected|matches none|expected an integer", ended.stderr)), 1)

    def test_verify_works_there_too(self):
        ended = self.mpiexec(2, "verify", "--config", self.write(tiny()), "--output", "out", "--filter", "r2")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("3 of 3 certificates hold.", ended.stdout)

    def test_a_stopped_rank_ends_the_job_and_the_rows_say_so(self):
        config = lasting()
        config["training"]["epochs"] = 10000
        config["measure"]["timeout_seconds"] = 2
        process, ranks = self.running(config, "gpipe|tensor")
        os.kill(ranks[1], signal.SIGSTOP)
        process.communicate(timeout=PATIENCE_SECONDS)
        self.assertNotEqual(process.returncode, 0)
        rows = self.rows()
        self.assertEqual([row["status"] for row in rows], ["timed_out", "skipped"])
        self.assertIn("rank 1", rows[0]["status_reason"])
        wait_until(lambda: not any(map(alive, ranks)), "the end of the ranks")

    def running(self, config, cases):
        """The launcher and its two ranks, some time after a case has begun."""
        words = ["mpiexec", "-n", "2", BINARY, "--config", self.write(config), "--output", "out", "--filter", cases]
        process = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        journal = self.folder / "out/journal.jsonl"
        wait_until(lambda: journal.exists() and "utilisation" in journal.read_text(), "the case")
        time.sleep(0.5)
        ranks = [rank for proxy in children(process.pid) for rank in children(proxy)]
        self.assertEqual(len(ranks), 2)
        return process, ranks

    def test_a_lost_rank_ends_the_job_and_the_journal_says_where(self):
        config = lasting()
        config["training"]["epochs"] = 10000
        process, ranks = self.running(config, "gpipe")
        os.kill(ranks[1], signal.SIGKILL)
        process.communicate(timeout=PATIENCE_SECONDS)
        self.assertNotEqual(process.returncode, 0)
        journal = self.folder / "out/journal.jsonl"
        records = [json.loads(line) for line in journal.read_text().splitlines()]
        begun = [entry["record"]["case_id"] for entry in records if entry["kind"] == "case_started"]
        self.assertEqual(begun, ["002-gpipe-r2"])
        self.assertNotIn("case", [entry["kind"] for entry in records])
        wait_until(lambda: not any(map(alive, ranks)), "the end of the ranks")


def children(process):
    with open(f"/proc/{process}/task/{process}/children") as file:
        return [int(child) for child in file.read().split()]


if __name__ == "__main__":
    unittest.main()
