"""Cases whose ranks are processes: started by ddlbench itself, or by a user's own mpiexec."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from harness import BINARY, WAIT_TIMEOUT_SECONDS, CommandTest, lasting, tiny, wait_until


def gone(processes):
    wait_until(lambda: not any(map(alive, processes)), f"the end of {processes}")


def alive(process):
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):  # the latter if it ended after the file was opened
        return False


class OverMpi(CommandTest):
    def mpiexec(self, ranks, *words, **how):
        how = {"capture_output": True, "text": True, "timeout": WAIT_TIMEOUT_SECONDS, "cwd": self.folder} | how
        return subprocess.run(["mpiexec", "-n", str(ranks), BINARY, *words], **how)

    def processes_of(self, case):
        """Returns the processes of a running case, by rank, from its log."""
        log = self.folder / "out/log" / f"{case}.log"

        def found():
            if not log.exists():
                return None
            told = dict(re.findall(r"^rank (\d+): process (\d+) on", log.read_text(), re.MULTILINE))
            return [int(told[rank]) for rank in sorted(told)] if len(told) == 2 else None

        return wait_until(found, f"the ranks of {case}")

    def assert_hosts(self, ranks, output="out"):
        environment = json.loads((self.folder / output / "environment.json").read_text())
        self.assertEqual(environment["hosts"], [{"host": environment["host"], "ranks": ranks}])

    def started(self, case):
        """Returns the case's processes once it has begun to train."""
        processes = self.processes_of(case)
        time.sleep(0.3)
        return processes


class StartedAlone(OverMpi):
    def disturbed(self, number, rank, timeout):
        """Runs three cases, disturbs the second, and returns its row after the others have finished."""
        config = lasting()
        config["devices"]["transport"] = "mpi"
        config["measure"]["timeout_seconds"] = timeout
        run = self.start(config)
        processes = self.started("002-gpipe-r2")
        os.kill(processes[rank], number)
        disturbed = time.monotonic()
        wait_until(lambda: (self.folder / "out/log/003-1f1b-r2.log").exists(), "the next case")
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
        self.assert_hosts([0, 1], "threads")
        self.assert_hosts([0, 1], "mpi")

    def test_a_killed_rank_is_named(self):
        row = self.disturbed(signal.SIGKILL, 1, 20)
        self.assertEqual(row["status"], "lost_rank")
        self.assertRegex(row["status_reason"], r"^rank 1 \(process \d+ on .*\) was killed by signal 9 \(SIGKILL\)")

    def test_a_crashed_rank_is_named(self):
        row = self.disturbed(signal.SIGSEGV, 0, 20)
        self.assertEqual(row["status"], "crashed")
        self.assertRegex(row["status_reason"], r"^rank 0 \(process \d+ on .*\) was killed by signal 11 \(SIGSEGV\)")

    def test_a_stopped_rank_is_named(self):
        row = self.disturbed(signal.SIGSTOP, 1, 8)
        self.assertEqual(row["status"], "lost_rank")
        self.assertRegex(row["status_reason"], r"rank 1 \(process \d+\) was stopped")

    def test_a_link_that_stalls_is_named(self):
        row = self.row_of_stalled_link("mpi")
        self.assertRegex(row["status_reason"], "waited 6400 ms for rank 1|rank 1 waited 6400 ms for its own link")

    def test_a_stopped_rank_0_is_named(self):
        row = self.disturbed(signal.SIGSTOP, 0, 8)
        self.assertEqual(row["status"], "lost_rank")
        self.assertRegex(row["status_reason"], r"rank 0 \(process \d+\) was stopped")

    def endless(self):
        """Starts a run of one case that does not end by itself; returns the run and its ranks."""
        config = lasting()
        config["devices"]["transport"] = "mpi"
        config["training"]["epochs"] = 100000
        config["strategies"] = config["strategies"][1:2]
        run = self.start(config)
        return run, self.started("001-gpipe-r2")

    def test_no_rank_outlives_its_supervisor(self):
        run, processes = self.endless()
        run.process.kill()
        run.process.communicate()
        gone(processes)

    def test_no_rank_outlives_its_supervisor_though_the_launcher_is_stopped(self):
        """[F7]"""
        run, processes = self.endless()
        guards = [parent(process) for process in processes]
        proxy = parent(guards[0])
        os.kill(proxy, signal.SIGSTOP)
        run.process.kill()
        run.process.communicate()
        gone([*processes, *guards, proxy])

    def test_a_killed_guard_is_named(self):
        """[F7]"""
        run, processes = self.endless()
        guard = parent(processes[1])
        os.kill(guard, signal.SIGKILL)
        self.assertEqual(run.end().returncode, 1)
        row = self.rows()[0]
        self.assertEqual(row["status"], "lost_rank")
        self.assertRegex(row["status_reason"], rf"^the guard of rank 1 \(process {guard}\) was lost in phase")
        gone(processes)

    def test_a_killed_launcher_process_is_named(self):
        """[F7]"""
        run, processes = self.endless()
        proxy = parent(parent(processes[1]))
        os.kill(proxy, signal.SIGKILL)
        self.assertEqual(run.end().returncode, 1)
        self.assertRegex(self.rows()[0]["status_reason"], rf"^process {proxy} \(hydra_pmi_proxy\) was lost in phase")
        gone(processes)

    def test_a_launcher_that_prints_without_end_is_ended(self):
        """[F3]"""
        config = tiny()
        config["devices"]["transport"] = "mpi"
        config["measure"]["timeout_seconds"] = 1
        (self.folder / "mpiexec").write_text("#!/bin/sh\nexec cat /dev/zero\n")
        (self.folder / "mpiexec").chmod(0o755)
        ended = self.command("--config", self.write(config), "--output", "out", "--filter", "001",
                             env=os.environ | {"PATH": f"{self.folder}:{os.environ['PATH']}"})
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertEqual(self.statuses(), ["timed_out"])
        self.assertLess((self.folder / "out/log/001-single-r1.log").stat().st_size, 100000)

    def test_cases_go_on_with_the_program_that_was_started_though_its_file_is_replaced(self):
        """[F10]"""
        config = lasting()
        config["devices"]["transport"] = "mpi"
        config["measure"]["timeout_seconds"] = 20
        program = self.folder / "ddlbench"
        shutil.copy(BINARY, program)
        process = subprocess.Popen([program, "--config", self.write(config), "--output", "out"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        log = self.folder / "out/log/001-ddp-r1.log"
        wait_until(lambda: log.exists() and "rank 0: process" in log.read_text(), "the first case")
        (self.folder / "other").write_text("#!/bin/sh\nexit 7\n")
        (self.folder / "other").chmod(0o755)
        (self.folder / "other").rename(program)
        _, errors = process.communicate(timeout=WAIT_TIMEOUT_SECONDS)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(self.statuses(), ["ok"] * 3)

    def test_another_build_does_not_run_a_case(self):
        """[F10]"""
        ended = subprocess.run([BINARY, "rank"], capture_output=True, text=True, timeout=WAIT_TIMEOUT_SECONDS,
                               env=os.environ | {"PMI_RANK": "0", "PMI_SIZE": "1", "DDLBENCH_PROGRAM": "00c0ffee"})
        self.assertEqual(ended.returncode, 1)
        self.assertIn("is a different build from the one that runs this experiment", ended.stdout)


class UnderMpiexec(OverMpi):
    def test_cases_run_in_the_ranks_that_are_there(self):
        config = tiny()
        config["devices"]["ranks"] = [1, 2, 4]
        ended = self.mpiexec(2, "--config", self.write(config), "--output", "out", "--filter", "ddp|single")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("transport mpi instead of threads", ended.stderr)
        self.assertEqual(ended.stdout.count("records: out"), 1)
        rows = self.rows()
        self.assertEqual([row["status"] for row in rows], ["ok", "ok", "ok", "unsupported"])
        self.assertIn("start with mpiexec -n 4", rows[3]["status_reason"])
        self.assertEqual([row["certified"] for row in rows[:3]], ["true"] * 3)
        self.assertEqual({row["transport"] for row in rows}, {"mpi"})
        self.assert_hosts([0, 1])

    def test_results_as_json_are_printed_once(self):
        ended = self.mpiexec(2, "--config", self.write(tiny()), "--output", "out", "--filter", "ddp", "--format", "json")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual([row["ranks"] for row in json.loads(ended.stdout)["runs"][0]["cases"]], [1, 2])

    def test_a_case_that_fails_leaves_the_ranks_to_the_next(self):
        config = tiny()
        config["training"]["optimizer"]["learning_rate"] = 1e30
        ended = self.mpiexec(2, "--config", self.write(config), "--output", "out")
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertEqual({row["status"] for row in self.rows()}, {"non_finite"})

    def test_records_that_are_moved_away_end_all_ranks(self):
        words = ["mpiexec", "-n", "2", BINARY, "--config", self.write(lasting()), "--output", "out"]
        run = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        journal = self.folder / "out/journal.jsonl"
        wait_until(lambda: journal.exists() and journal.read_text().count('"case_started"') == 2, "case 2")
        (self.folder / "out").rename(self.folder / "elsewhere")
        _, said = run.communicate(timeout=WAIT_TIMEOUT_SECONDS)
        self.assertEqual(run.returncode, 4, said)
        self.assertIn("the results could not be written", said)
        self.assertFalse((self.folder / "out").exists())

    def test_mistakes_are_reported_once_and_end_all_ranks(self):
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

    def without_rank_1(self, epochs, cases):
        """Returns the exit code and the rows of a run whose rank 1 is stopped in the first case."""
        config = lasting()
        config["training"]["epochs"] = epochs
        config["measure"]["timeout_seconds"] = 4
        process, ranks = self.running(config, cases)
        os.kill(ranks[1], signal.SIGSTOP)
        process.communicate(timeout=WAIT_TIMEOUT_SECONDS)
        gone(ranks)
        return process.returncode, self.rows()

    def test_a_stopped_rank_ends_the_job_and_the_rows_say_so(self):
        code, rows = self.without_rank_1(10000, "gpipe|1f1b")
        self.assertNotEqual(code, 0)
        self.assertEqual([row["status"] for row in rows], ["timed_out", "skipped"])
        self.assertIn("rank 1", rows[0]["status_reason"])

    def test_a_rank_that_is_stopped_while_it_waits_is_lost_to_the_next_case(self):
        """[F1]"""
        code, rows = self.without_rank_1(3000, "ddp|gpipe|1f1b")
        self.assertEqual(code, 1)
        self.assertEqual([row["status"] for row in rows], ["ok", "lost_rank", "skipped"])
        self.assertIn("rank 1", rows[1]["status_reason"])

    def without_rank_0(self, config, cases):
        """Checks the output of a run whose rank 0 is stopped in a case."""
        config["measure"]["timeout_seconds"] = 4
        process, ranks = self.running(config, cases)
        os.kill(ranks[0], signal.SIGSTOP)
        stopped = time.monotonic()
        _, errors = process.communicate(timeout=WAIT_TIMEOUT_SECONDS)
        self.assertLess(time.monotonic() - stopped, 4 + 10)
        self.assertNotEqual(process.returncode, 0)
        said = [line for line in errors.splitlines() if "the run ends here" in line]
        self.assertEqual(len(said), 1, f"{process.returncode}: {errors[-2000:]}")
        self.assertIn("rank 0", said[0])
        journal = (self.folder / "out/journal.jsonl").read_text()
        self.assertEqual([json.loads(line)["kind"] for line in journal.splitlines()][:2], ["plan", "case_started"])
        gone(ranks)

    def test_a_stopped_rank_0_that_the_others_communicate_with_ends_the_job(self):
        """[F2]"""
        config = lasting()
        config["training"]["epochs"] = 100000
        self.without_rank_0(config, "gpipe")

    def test_a_stopped_rank_0_that_the_others_wait_for_ends_the_job(self):
        """[F2]"""
        config = lasting()
        config["training"]["epochs"] = 100000
        self.without_rank_0(config, "ddp")

    def test_a_stopped_rank_0_that_computes_what_the_others_wait_for_ends_the_job(self):
        """[F2]"""
        config = lasting()
        config["measure"]["verify_steps"] = 10000
        self.without_rank_0(config, "gpipe")

    def running(self, config, cases):
        """Starts a run; returns the launcher and its two ranks some time after a case has begun."""
        words = ["mpiexec", "-n", "2", BINARY, "--config", self.write(config), "--output", "out", "--filter", cases]
        process = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        journal = self.folder / "out/journal.jsonl"
        wait_until(lambda: journal.exists() and "utilisation" in journal.read_text(), "the case")
        time.sleep(0.5)
        guards = [guard for proxy in children(process.pid) for guard in children(proxy)]
        ranks = [rank for guard in sorted(guards, key=rank_of) for rank in children(guard)]
        self.assertEqual(len(ranks), 2)
        return process, ranks

    def test_a_lost_rank_ends_the_job_and_the_journal_says_where(self):
        config = lasting()
        config["training"]["epochs"] = 10000
        process, ranks = self.running(config, "gpipe")
        os.kill(ranks[1], signal.SIGKILL)
        _, errors = process.communicate(timeout=WAIT_TIMEOUT_SECONDS)
        self.assertNotEqual(process.returncode, 0)
        self.assertRegex(errors, rf"ddlbench: rank 1 \(process {ranks[1]} on .*\) was killed by signal 9 \(SIGKILL\)")
        journal = self.folder / "out/journal.jsonl"
        records = [json.loads(line) for line in journal.read_text().splitlines()]
        begun = [entry["record"]["case_id"] for entry in records if entry["kind"] == "case_started"]
        self.assertEqual(begun, ["002-gpipe-r2"])
        self.assertNotIn("case", [entry["kind"] for entry in records])
        wait_until(lambda: not any(map(alive, ranks)), "the end of the ranks")


def rank_of(process):
    with open(f"/proc/{process}/environ") as environment:
        return dict(word.split("=", 1) for word in environment.read().split("\0") if word)["PMI_RANK"]


def parent(process):
    with open(f"/proc/{process}/stat") as stat:
        return int(stat.read().rsplit(")", 1)[1].split()[1])


def children(process):
    with open(f"/proc/{process}/task/{process}/children") as file:
        return [int(child) for child in file.read().split()]


if __name__ == "__main__":
    unittest.main()
