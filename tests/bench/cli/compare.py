"""`ddlbench compare`: what became faster or slower from one folder of results to another."""

import json
import math
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import zlib
from pathlib import Path

from harness import BINARY, WITHOUT_ROUNDS, CommandTest, rows_of, tiny, wait_until

PAGE = Path(__file__).resolve().parents[3] / "docs" / "comparing.md"
CASES = ["001-single-r1", "002-ddp-r2"]


def with_record(line, change):
    """Returns a line of a journal with a changed record, whose texts and numbers keep their format."""
    record = change(re.search(r'"record":(.*)}$', line).group(1))
    kind = json.loads(line)["kind"]
    checksum = zlib.crc32(f"{kind}\n{record}".encode())
    return f'{{"checksum":"{checksum:08x}","kind":"{kind}","record":{record}}}'


def contents(path):
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:  # the process has ended
        return ""


def with_values(**values):
    def change(record):
        for name, value in values.items():
            record, found = re.subn(rf'"{name}":[^,}}]+', f'"{name}":{value}', record)
            assert found == 1, f"{name} in {record}"
        return record
    return change


class Compare(CommandTest):
    @classmethod
    def setUpClass(cls):
        """Runs two cases with rounds, once for all tests."""
        folder = tempfile.TemporaryDirectory(prefix="ddlbench-")
        cls.addClassCleanup(folder.cleanup)
        experiment = Path(folder.name) / "experiment.json"
        cls.measured = Path(folder.name) / "out"
        config = tiny()
        config["strategies"] = ["single", {"kind": "ddp", "ranks": 2}]
        config["devices"]["ranks"] = [1]
        config["measure"] |= {"interleave": True, "visit_seconds": 0.01, "precision": 0.99, "max_seconds": 60}
        experiment.write_text(json.dumps(config))
        subprocess.run([BINARY, experiment, "--output", cls.measured, "--quiet"], check=True, capture_output=True, timeout=120)

    def timed(self, name, milliseconds, probe_milliseconds=(2, 4)):
        """Copies the run; all visits of each case and all probes then have these times, ± 0.1 %."""
        folder = self.folder / name
        shutil.copytree(self.measured, folder)
        journal, count = folder / "journal.jsonl", 0
        lines = []
        for line in journal.read_text().splitlines():
            if '"kind":"visit"' in line:
                count += 1
                noise = 1 + 0.001 * (count % 3 - 1)
                case = json.loads(line)["record"]["case_id"]
                line = with_record(line, with_values(
                    step_seconds=round(milliseconds[CASES.index(case)] * noise / 1000, 9),
                    compute_probe_seconds=round(probe_milliseconds[0] * noise / 1000, 9),
                    memory_probe_seconds=round(probe_milliseconds[1] * noise / 1000, 9)))
            lines.append(line + "\n")
        journal.write_text("".join(lines))
        return folder

    def compared(self, *words, code=0):
        ended = self.command("compare", *map(str, words))
        self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
        return ended

    def verdicts(self, *words, code=0):
        self.compared(*words, "--csv", "compared.csv", code=code)
        return [row["verdict"] for row in rows_of(self.folder / "compared.csv")]

    def rejected(self, *words):
        ended = self.compared(*words, code=2)
        self.assertEqual(ended.stdout, "")
        return ended.stderr

    def test_a_slower_case_is_a_regression(self):
        self.timed("old", (10, 20))
        self.timed("new", (10, 22))
        shown = self.compared("old", "new", code=3).stdout
        self.assertRegex(shown, r"(?m)^  002-ddp-r2  +ddp +2×1 +20\.0 +22\.0 +1\.100 \[1\.(09\d|100), 1\.10\d\]  slower ")
        self.assertRegex(shown, r"(?m)^  001-single-r1 .* same ")
        self.assertIn("NEW against OLD: 1 slower, 1 same.", shown)
        self.assertIn("A claim has to exceed 2.00 %", shown)
        self.assertEqual(self.verdicts("old", "new", code=3), ["same", "slower"])
        self.assertEqual(self.verdicts("new", "old"), ["same", "faster"])

    def test_the_margin_is_an_option(self):
        self.timed("old", (10, 20))
        self.timed("new", (10, 22))
        self.assertEqual(self.verdicts("old", "new", "--margin", "11%"), ["same", "same"])
        for text in ("2", "-1%", "x%", "101%", "%", "nan%"):
            self.assertIn("such as 2%", self.rejected("old", "new", "--margin", text))

    def test_a_slower_machine_is_no_regression(self):
        self.timed("old", (10, 20))
        self.timed("new", (11, 22), (2.3, 4))
        shown = self.compared("old", "new").stdout
        self.assertIn("2 ambiguous", shown)
        self.assertRegex(shown, r"the machine's own speed differed between the runs by up to 15\.\d % \(compute probe\)")

    def test_the_csv_file_has_the_columns_that_the_page_lists(self):
        self.timed("old", (10, 20))
        self.compared("old", "old", "--csv", "compared.csv")
        row = rows_of(self.folder / "compared.csv")[1]
        listed = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
        self.assertEqual(list(row), listed)
        self.assertEqual((row["old_case_id"], row["new_case_id"]), ("002-ddp-r2", "002-ddp-r2"))
        self.assertAlmostEqual(float(row["step_ratio"]), 1)
        self.assertLessEqual(float(row["step_low_ratio"]), 1)
        self.assertGreaterEqual(float(row["step_high_ratio"]), 1)
        self.assertGreaterEqual(float(row["claim_ratio"]), 1.02)

    def test_markdown_has_tables_of_github(self):
        self.timed("old", (10, 20))
        new = self.timed("new", (10, 20))
        config = json.loads((new / "config.json").read_text())
        config["measure"]["steps"] += 1
        (new / "config.json").write_text(json.dumps(config))
        shown = self.compared("old", "new", "--markdown").stdout
        self.assertIn("\n\n| value | OLD | NEW |\n| --- | --- | --- |\n| measure/steps | 5 | 6 |\n\n", shown)
        self.assertIn("\n\n| case | strategy | ranks×threads |", shown)
        self.assertIn("| 002-ddp-r2 | ddp | 2×1 | 20.0 | 20.0 | 1.000 [", shown)

    def test_what_differs_in_the_environment_is_shown(self):
        self.timed("old", (10, 20))
        new = self.timed("new", (10, 20))
        environment = json.loads((new / "environment.json").read_text())
        environment["host"] = "another"
        environment["start_time_utc"] = "later"
        (new / "environment.json").write_text(json.dumps(environment))
        shown = self.compared("old", "new").stdout
        self.assertRegex(shown, r"The environments differ:\n  value  OLD +NEW\n  host   \S+ +another\n\n")
        self.assertIn("NEW: new, later, ", shown)

    def test_other_contracts_are_not_compared(self):
        old = self.timed("old", (10, 20))
        config = json.loads((old / "config.json").read_text())
        config["training"]["optimizer"]["learning_rate"] = 0.1
        ended = self.command("--config", self.write(config), "--output", "new", "--quiet", "--filter", "single",
                             "--set", "/measure/interleave=false")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        shown = self.compared("old", "new").stdout
        self.assertRegex(shown, r"001-single-r1 .* other contract: training/optimizer/learning_rate \(0\.05 → 0\.1\)\n")
        self.assertRegex(shown, r"002-ddp-r2 .* only in OLD\n")
        self.assertIn("NEW against OLD: 2 not comparable.", shown)

    def test_runs_without_rounds_support_no_verdict(self):
        shown = self.compared(WITHOUT_ROUNDS, WITHOUT_ROUNDS).stdout
        self.assertIn("ambiguous (no rounds)", shown)
        self.assertIn("run both again with measure/interleave", shown)
        self.assertNotIn("A claim has to exceed", shown)

    def test_interrupted_runs_are_compared_as_far_as_they_go(self):
        self.timed("old", (10, 20))
        journal = self.timed("new", (10, 20)) / "journal.jsonl"
        lines = journal.read_text().splitlines(keepends=True)
        first = next(i for i, line in enumerate(lines) if '"kind":"case"' in line)
        journal.write_text("".join(lines[:first + 2]) + '{"checksum')
        ended = self.compared("old", "new")
        self.assertIn("new: The journal's last line is incomplete", ended.stderr)
        self.assertRegex(ended.stdout, r"001-single-r1 .* ambiguous \(no rounds\)")
        self.assertRegex(ended.stdout, r"002-ddp-r2 .* only in OLD\n")

    def test_what_is_no_folder_of_results_is_rejected(self):
        old = self.timed("old", (10, 20))
        (self.folder / "empty").mkdir()
        self.assertIn("nowhere: no such folder; name a folder of results", self.rejected("old", "nowhere"))
        self.assertIn("empty: has no journal.jsonl", self.rejected("empty", "old"))
        self.assertIn("required", self.rejected("old"))
        journal = old / "journal.jsonl"
        journal.write_text(journal.read_text().replace('"ranks":1', '"ranks":3', 1))
        self.assertRegex(self.rejected("old", "old"), r"old/journal\.jsonl:\d+: this line is damaged")
        self.assertIn("is a folder", self.rejected(WITHOUT_ROUNDS, WITHOUT_ROUNDS, "--csv", "."))


class InTurns(CommandTest):
    """`compare --run`: two programs or two experiments take turns."""

    def setUp(self):
        super().setUp()
        config = tiny()
        config["strategies"] = ["single"]
        config["devices"]["ranks"] = [1]
        config["measure"]["visit_seconds"] = 0.02
        self.write(config)

    def wrapper(self, *settings, before=""):
        """Writes a program that runs the binary with other settings."""
        path = self.folder / "wrapper"
        options = " ".join(f"--set '{setting}'" for setting in settings)
        path.write_text(f"#!/bin/sh\n{before}\nexec {BINARY} \"$@\" {options}\n")
        path.chmod(0o755)
        return "./wrapper"

    def compared(self, *words, code=0):
        ended = self.command("compare", "--run", *map(str, words), timeout=240)
        self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
        return ended

    def test_a_program_does_not_differ_from_itself(self):
        ended = self.compared(BINARY, BINARY, "--config", "experiment.json", "--rounds", 3, "--margin", "50%", "--csv", "x.csv")
        row, = rows_of(self.folder / "x.csv")
        self.assertIn(row["verdict"], ("same", "ambiguous"))
        self.assertEqual((row["old_rounds"], row["new_rounds"]), ("3", "3"))
        self.assertRegex(ended.stderr, r"this round took \d.*; the rounds end after about ")
        self.assertIn("OLD and NEW run 001-single-r1 at once, in time slices of 5 ms", ended.stderr)
        self.assertEqual(ended.stderr.count(": 4 visits"), 3)
        self.assertIn("Basis: up to 3 complete rounds", ended.stdout)
        self.assertNotIn("differ:", ended.stdout)

    def test_a_slower_program_is_found(self):
        config = json.loads((self.folder / "experiment.json").read_text())
        config["strategies"] = [{"kind": "ddp", "ranks": 1}]  # on one thread: on a busy machine, several wait for each other
        config["devices"]["threads_per_rank"] = 1
        config["workload"]["loader"] = {"workers": 0}
        self.write(config)
        slower = self.wrapper('/workload/model={"kind":"mlp","hidden":[512,512]}')
        words = ("--config", "experiment.json", "--rounds", 4, "--margin", "50%", "--quiet")
        ended = self.compared(BINARY, slower, *words, code=3)
        self.assertIn("NEW against OLD: 1 slower.", ended.stdout)
        self.assertRegex(ended.stdout, r"workload/model/hidden  \[16\]  \[512,512\]")
        self.assertEqual(ended.stderr, "")
        self.assertIn("NEW against OLD: 1 faster.", self.compared(slower, BINARY, *words).stdout)

    def test_two_experiments_take_turns_in_this_program(self):
        config = json.loads((self.folder / "experiment.json").read_text())
        config["workload"]["model"]["hidden"] = [17]
        self.write(config, "larger.json")
        ended = self.compared("experiment.json", "larger.json", "--rounds", 2, "--max-seconds", 1, "--margin", "99%",
                              "--set", "/measure/warmup_steps=2", "--filter", "single", "--output", "kept")
        self.assertRegex(ended.stdout, r"workload/model/hidden  \[16\]  \[17\]")
        self.assertIn("Basis: up to 2 complete rounds", ended.stdout)
        kept = self.folder / "kept"
        places = {"old": [], "new": []}
        for side, visits in places.items():
            for path in (kept / side).glob("round-*"):
                if path.is_dir():
                    visits.append(re.fullmatch(r"round-([12])-([1-4])-001-single-r1", path.name).groups())
        for number in "12":  # OLD NEW NEW OLD or NEW OLD OLD NEW
            mirrored = [sorted(place for one, place in visits if one == number) for visits in places.values()]
            self.assertEqual(sorted(mirrored), [["1", "4"], ["2", "3"]])
        settings = json.loads((kept / "new" / "prepare" / "config.json").read_text())["measure"]
        self.assertEqual((settings["warmup_steps"], settings["interleave"], settings["train"]), (2, False, True))
        visit = next(path for path in (kept / "new").glob("round-1-*") if path.is_dir())
        self.assertFalse(json.loads((visit / "config.json").read_text())["measure"]["train"])

    def test_ranks_of_mpiexec_are_visited_one_after_the_other(self):
        if '"mpi"' not in self.command("schema").stdout:
            self.skipTest("built without MPI")
        ended = self.compared("experiment.json", "experiment.json", "--rounds", 2, "--margin", "99%",
                              "--set", "/devices/transport=mpi")
        self.assertIn("OLD and NEW run 001-single-r1 one after the other: ranks that mpiexec starts", ended.stderr)
        self.assertIn("Basis: up to 2 complete rounds", ended.stdout)

    def test_rounds_end_when_the_ratio_is_precise(self):
        begin = time.monotonic()
        self.compared("experiment.json", "experiment.json", "--margin", "99%", "--max-seconds", 60, "--csv", "x.csv")
        row, = rows_of(self.folder / "x.csv")
        width = math.log(float(row["step_high_ratio"]) / float(row["step_low_ratio"]))
        if width > 1.001 * math.log(1.99):
            self.skipTest("the machine is too busy for a precise ratio")
        self.assertGreaterEqual(int(row["old_rounds"]), 6)
        self.assertLess(time.monotonic() - begin, 60)

    def test_nothing_stays_behind_if_it_is_killed(self):
        mark = f"{self.folder}/"
        for transport in ("threads", "gloo"):
            if f'"{transport}"' not in self.command("schema").stdout:
                continue
            process = subprocess.Popen([BINARY, "compare", "--run", "experiment.json", "experiment.json", "--rounds", "1000",
                                        "--set", f"/devices/transport={transport}", "--output", f"{mark}{transport}"],
                                       cwd=self.folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
            self.addCleanup(process.kill)
            for line in process.stderr:
                if "round 2:" in line:
                    break
            process.kill()
            process.wait()
            process.stderr.close()
            wait_until(lambda: not [path for path in Path("/proc").glob("[0-9]*/cmdline") if mark in contents(path)],
                       f"the end of all processes over {transport}")

    def test_each_case_takes_its_own_turns(self):
        config = json.loads((self.folder / "experiment.json").read_text())
        config["strategies"] = ["single", {"kind": "ddp", "ranks": 1}]
        self.write(config)
        failing = self.wrapper(before='case "$*" in *run*filter*^002*round-2*) set -- "$@" --set /devices/memory_bytes=1000;; esac')
        ended = self.compared(BINARY, failing, "--config", "experiment.json", "--rounds", 3, "--margin", "99%", "--csv", "x.csv", code=1)
        self.assertEqual(re.findall(r"round \d: (\d+) visits", ended.stderr), ["8", "8", "4"])
        single, ddp = rows_of(self.folder / "x.csv")
        self.assertEqual((single["new_rounds"], ddp["verdict"]), ("3", "not comparable"))
        self.assertIn("in round 2 of NEW: out_of_memory: ", ddp["reason"])

    def test_an_older_program_need_not_know_rounds(self):
        older = self.wrapper(before='case "$*" in *interleave*) echo "unknown setting" >&2; exit 2;; esac')
        config = json.loads((self.folder / "experiment.json").read_text())
        del config["measure"]["interleave"]
        config["measure"]["max_seconds"] = 0  # the program in the wrapper has rounds, after all
        self.write(config)
        ended = self.compared(older, BINARY, "--config", "experiment.json", "--rounds", 2, "--margin", "90%")
        self.assertIn("Basis: up to 2 complete rounds", ended.stdout)

    def test_a_signal_ends_the_visit_and_shows_the_complete_rounds(self):
        process = subprocess.Popen([BINARY, "compare", "--run", BINARY, BINARY, "--config", "experiment.json", "--rounds", "1000"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=os.environ | {"TMPDIR": str(self.folder)})
        self.addCleanup(process.kill)
        for line in process.stderr:
            if "round 3:" in line:
                break
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertRegex(out, r"Basis: up to [23] complete rounds")
        self.assertRegex(out, r"001-single-r1 .* \[")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["experiment.json"])

    def test_a_program_that_stops_working_ends_the_rounds(self):
        broken = self.wrapper(before='case "$*" in *round-2*) echo "no more" >&2; exit 9;; esac')
        ended = self.compared(BINARY, broken, "--config", "experiment.json", "--rounds", 5, code=4)
        self.assertIn("the rounds ended early: NEW (", ended.stderr)
        self.assertIn("ended with exit code 9: no more", ended.stderr)
        self.assertIn("Basis: up to 1 complete round in which", ended.stdout)

    def test_a_case_that_fails_is_not_comparable(self):
        failing = self.wrapper("/devices/memory_bytes=1000")
        ended = self.compared(BINARY, failing, "--config", "experiment.json", "--rounds", 2, code=1)
        self.assertRegex(ended.stdout, r"001-single-r1 .* in NEW: out_of_memory: ")

    def test_what_cannot_run_is_rejected(self):
        def rejected(*words):
            ended = self.compared(*words, code=2)
            self.assertEqual(ended.stdout, "")
            return ended.stderr

        self.assertIn("add --config FILE", rejected(BINARY, BINARY))
        self.assertIn("nothere: no such program", rejected(BINARY, "nothere", "--config", "experiment.json"))
        self.assertIn("OLD (/bin/false) cannot run", rejected("/bin/false", BINARY, "--config", "experiment.json"))
        self.assertIn("OLD (/bin/true) ended with exit code 0, but left no results",
                      rejected("/bin/true", BINARY, "--config", "experiment.json"))
        (self.folder / "bad.json").write_text("{")
        self.assertIn("bad.json", rejected(BINARY, BINARY, "--config", "bad.json"))
        self.assertIn("is not empty", rejected("experiment.json", "experiment.json", "--output", "."))
        self.assertIn("--run", self.command("compare", "a", "b", "--rounds", "3").stderr)


if __name__ == "__main__":
    unittest.main()
