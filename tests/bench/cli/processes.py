"""Runs whose processes are killed, stopped, interrupted or orphaned."""

import fcntl
import os
import pty
import resource
import shutil
import signal
import struct
import subprocess
import termios
import time
import unittest

from harness import CommandTest, lasting, tiny


class Processes(CommandTest):
    def test_a_killed_case_is_a_row_and_the_others_finish(self):
        run = self.start(lasting())
        os.kill(run.in_case(2), signal.SIGKILL)
        ended = run.end()
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertEqual(self.statuses(), ["ok", "crashed", "ok"])
        self.assertIn("SIGKILL", self.rows()[1]["status_reason"])
        self.assertEqual(self.rows()[1]["step_seconds"], "")
        self.assert_no_orphan(run)

    def test_a_stopped_case_is_ended_and_the_others_finish(self):
        config = lasting()
        config["measure"]["timeout_seconds"] = 4
        run = self.start(config)
        os.kill(run.in_case(2), signal.SIGSTOP)
        stopped = time.monotonic()
        run.in_case(3)
        self.assertLess(time.monotonic() - stopped, 4 + 10)
        self.assertEqual(run.end().returncode, 1)
        self.assertEqual(self.statuses(), ["ok", "lost_rank", "ok"])
        self.assertIn("was stopped", self.rows()[1]["status_reason"])
        self.assert_no_orphan(run)

    def test_a_link_that_stalls_is_named(self):
        row = self.row_of_stalled_link("threads")
        self.assertRegex(row["status_reason"], "waited 6400 ms for rank 1$|rank 1 waited 6400 ms for its own link$")
        self.assertEqual(row["throttle"], "link of rank 1 stalls after 1000 B")

    def test_after_too_many_failures_the_rest_is_skipped(self):
        run = self.start(lasting(), "--max-failures", "1")
        os.kill(run.in_case(2), signal.SIGSEGV)
        ended = run.end()
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertEqual(self.statuses(), ["ok", "crashed", "skipped"])
        self.assertIn("SIGSEGV", self.rows()[1]["status_reason"])
        self.assertEqual(self.rows()[2]["status_reason"], "--max-failures 1 was reached")

    def test_no_worker_outlives_its_supervisor(self):
        run = self.start(lasting())
        run.in_case(2)
        run.process.kill()
        run.process.communicate()
        self.assert_no_orphan(run)

    def interrupted_by(self, number, code):
        run = self.start(lasting())
        run.in_case(2)
        run.process.send_signal(number)
        ended = run.end()
        self.assertEqual(ended.returncode, code, ended.stderr)
        self.assertEqual(self.statuses(), ["ok", "interrupted", "skipped"])
        self.assertIn(number.name, self.rows()[1]["status_reason"])
        self.assertIn("001-ddp-r1", ended.stdout)
        self.assert_no_orphan(run)

    def test_an_interrupt_keeps_what_was_found(self):
        self.interrupted_by(signal.SIGINT, 130)

    def test_termination_keeps_what_was_found(self):
        self.interrupted_by(signal.SIGTERM, 143)

    def test_a_closed_terminal_keeps_what_was_found(self):
        self.interrupted_by(signal.SIGHUP, 129)

    def test_nohup_is_heeded(self):
        config = lasting()
        config["strategies"] = config["strategies"][1:2]
        run = self.start(config, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        run.in_case(1)
        run.process.send_signal(signal.SIGHUP)
        self.assertEqual(run.end().returncode, 0)
        self.assertEqual(self.statuses(), ["ok"])


    def test_an_output_folder_in_use_is_rejected_naming_the_run(self):
        run = self.start(lasting())
        run.in_case(2)
        words = ("--config", "experiment.json", "--output", "out")
        second = self.command(*words)
        self.assertEqual((second.returncode, second.stdout), (2, ""))
        self.assertIn(f"output folder out is being written by process {run.process.pid} on ", second.stderr)
        run.process.kill()
        run.process.communicate()
        third = self.command(*words)
        self.assertEqual(third.returncode, 2)
        self.assertRegex(third.stderr, f"is left over from process {run.process.pid} on .*, which was killed")
        self.assertEqual(self.statuses(), ["ok"])

    def test_records_that_vanish_are_no_fault_of_the_configuration(self):
        run = self.start(lasting())
        run.in_case(2)
        while (self.folder / "out").exists():
            shutil.rmtree(self.folder / "out", ignore_errors=True)  # a file may vanish first: the run renames it
        ended = run.end()
        self.assertEqual(ended.returncode, 4, ended.stderr)
        self.assertIn("the results could not be written", ended.stderr)
        self.assert_no_orphan(run)


class Streams(CommandTest):
    def only_case(self):
        return ["--config", self.write(tiny()), "--filter", "001", "--output", "out"]

    def test_a_closed_standard_output_does_not_reach_the_journal(self):
        ended = self.command(*self.only_case(), capture_output=False, stdin=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        lines = (self.folder / "out/journal.jsonl").read_text().splitlines()
        self.assertTrue(all(line.startswith('{"checksum":') for line in lines), lines[-1])

    def test_lost_results_are_no_success(self):
        for words in (self.only_case(), ["list"]):
            with open("/dev/full", "w") as full:
                ended = self.command(*words, capture_output=False, stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(ended.returncode, 4)
            self.assertIn("standard output", ended.stderr)
        self.assertEqual(self.statuses(), ["ok"])

    def test_a_reader_of_the_progress_may_go(self):
        reader, writer = os.pipe()
        os.close(reader)
        ended = self.command("--config", self.write(tiny()), "--output", "out", capture_output=False,
                             stdout=subprocess.PIPE, stderr=writer)
        os.close(writer)
        self.assertEqual(ended.returncode, 0)
        self.assertEqual(self.statuses(), ["ok"] * 7)

    def on_a_terminal(self, columns, output, **variables):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        ended = self.command("--config", self.write(tiny()), "--filter", "001", "--output", output,
                             capture_output=False, stdout=subprocess.PIPE, stderr=theirs,
                             env=environment | {"TERM": "xterm"} | variables)
        os.close(theirs)
        said = os.read(ours, 1 << 16).decode()
        os.close(ours)
        self.assertEqual(ended.returncode, 0, said)
        return said

    def test_a_terminal_of_any_width(self):
        for columns in (1, 20, 21, 22):
            self.on_a_terminal(columns, f"out{columns}")

    def test_no_colour_where_none_is_wanted(self):
        self.assertIn("\x1b[32m", self.on_a_terminal(80, "coloured"))
        self.assertNotIn("\x1b[3", self.on_a_terminal(80, "plain", NO_COLOR="1"))

    def test_a_full_disk_keeps_what_was_written(self):
        ended = self.command("--config", self.write(tiny()), "--output", "out", "--filter", "-r1",
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10240, 10240)))
        self.assertEqual(ended.returncode, 4, ended.stderr)
        self.assertIn("the results could not be written", ended.stderr)
        self.assertIn("001-single-r1", ended.stdout)
        self.assertGreater(len(self.statuses()), 1)
        self.assertEqual([path.name for path in (self.folder / "out").glob("*.tmp*")], [])

    def test_a_disk_that_is_full_from_the_start_is_reported(self):
        ended = self.command("--config", self.write(tiny()), "--output", "out",
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assertEqual((ended.returncode, ended.stdout), (2, ""))
        self.assertIn("cannot be written: File too large", ended.stderr)
        left = [path.name for path in (self.folder / "out").iterdir() if path.is_file() and path.stat().st_size > 0]
        self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main()
