"""`ddlbench report`: the table, the recommendation and the page of finished and interrupted runs."""

import csv
import html
import json
import re
import shutil
import unittest

from harness import WITHOUT_ROUNDS, CommandTest, rows_of, tiny

LARGEST_PAGE = 300_000


class Report(CommandTest):
    def page(self, *folders):
        ended = self.command("report", *map(str, folders), "--html", "page.html")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return (self.folder / "page.html").read_text(encoding="utf-8")

    def copy(self, name="copy"):
        folder = self.folder / name
        shutil.copytree(WITHOUT_ROUNDS, folder)
        return folder

    def rejected(self, *words):
        ended = self.command("report", *map(str, words))
        self.assertEqual((ended.returncode, ended.stdout), (2, ""), ended.stderr)
        return ended.stderr

    def test_a_finished_folder_has_the_table_of_its_run(self):
        ran = self.command("--config", self.write(tiny()), "--output", "out", "--quiet")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        again = self.command("report", "out")
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        self.assertEqual(again.stdout, ran.stdout.removesuffix("\nrecords: out\n"))

        text = self.page("out")
        self.assertIn('<section id="schedule"', text)
        for row in self.rows():
            self.assertIn(f'>{row["case_id"]}</th>', text)

    def test_certificates_alone_are_shown_as_verify_shows_them(self):
        ran = self.command("verify", "--config", self.write(tiny()), "--output", "out", "--quiet")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(self.command("report", "out").stdout, ran.stdout.removesuffix("\nrecords: out\n"))
        self.assertIn('<section id="cases"', self.page("out"))

    def test_the_page_has_every_step_time_and_speedup_and_is_small(self):
        text = self.page(WITHOUT_ROUNDS)
        self.assertLess(len(text.encode()), LARGEST_PAGE)
        with (WITHOUT_ROUNDS / "cases.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 13)
        for row in rows:
            line = re.search(rf'<tr[^>]*><th[^>]*>{row["case_id"]}</th>.*?</tr>', text).group()
            for column in ("step_seconds", "speedup_ratio", "epoch_seconds", "peak_memory_bytes", "final_accuracy_ratio"):
                self.assertIn(f'data-value="{row[column]}"', line, column)

    def test_the_page_needs_nothing_else(self):
        text = self.page(WITHOUT_ROUNDS)
        for name, value in re.findall(r'\b(src|href|action|data|poster|xlink:href)="([^"]*)"', text):
            self.assertTrue(value.startswith("#") or value == "data:,", f"{name}={value}")
        self.assertEqual(re.findall(r"https?:|@import|url\(|fetch\(|XMLHttpRequest", text), [])

    def test_an_interrupted_run_shows_what_it_has(self):
        folder = self.copy()
        journal = folder / "journal.jsonl"
        lines = journal.read_text().splitlines(keepends=True)
        started = [i for i, line in enumerate(lines) if json.loads(line)["kind"] == "case_started"]
        cut = started[3] + 2  # a record of the fourth case
        journal.write_text("".join(lines[:cut]) + lines[cut][:50])
        ended = self.command("report", str(folder))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("002-ddp-r2", ended.stdout)
        self.assertNotIn("005-zero-r4", ended.stdout)
        self.assertIn("004-zero-r2 had started", ended.stderr)
        self.assertIn("last line is incomplete", ended.stderr)
        text = self.page(folder)
        self.assertIn("last line is incomplete", text)
        self.assertTrue(re.search(r'<section id="failures".*>004-zero-r2</th>.*<section id="environment"', text, re.DOTALL))

    def test_an_empty_journal_is_a_run_without_cases(self):
        folder = self.copy()
        (folder / "journal.jsonl").write_text("")
        ended = self.command("report", str(folder))
        self.assertEqual(ended.returncode, 0)
        self.assertIn("there were no cases", ended.stdout)
        self.assertIn("there were no cases", self.page(folder))

    def test_other_files_may_be_missing_or_damaged(self):
        folder = self.copy()
        (folder / "environment.json").unlink()
        (folder / "config.json").write_text("{")
        (folder / "trace").mkdir()
        (folder / "trace" / "002-ddp-r2.json").write_text('{"traceEvents": [{"ph": "X"}]}')
        text = html.unescape(self.page(folder))
        self.assertIn("environment.json cannot be read", text)
        self.assertIn("config.json cannot be read", text)
        self.assertIn("The trace of 002-ddp-r2 cannot be drawn", text)
        self.assertEqual(rows_of(folder / "cases.csv"), rows_of(WITHOUT_ROUNDS / "cases.csv"))

    def test_what_is_no_folder_of_results_is_rejected(self):
        (self.folder / "empty").mkdir()
        self.assertIn("nowhere: no such folder", self.rejected("nowhere"))
        self.assertIn("empty: has no journal.jsonl", self.rejected("empty"))
        self.assertIn("empty: has no journal.jsonl", self.rejected(WITHOUT_ROUNDS, "empty"))
        self.assertIn("required", self.command("report").stderr)
        self.assertEqual(self.command("report").returncode, 2)

    def test_a_damaged_journal_is_rejected(self):
        folder = self.copy()
        journal = folder / "journal.jsonl"
        whole = journal.read_text()
        journal.write_text(whole.replace('"threads":1', '"threads":7', 1))
        self.assertIn("journal.jsonl:2: this line is damaged", self.rejected(folder))

    def test_a_page_that_cannot_be_written_is_an_error(self):
        self.assertIn("nowhere", self.rejected(WITHOUT_ROUNDS, "--html", "nowhere/page.html"))
        self.assertIn("is a folder", self.rejected(WITHOUT_ROUNDS, "--html", "."))

    def test_json_has_every_cell_of_the_tables(self):
        words = ("--config", self.write(tiny()), "--filter", "ddp|single", "--format", "json")
        ran = self.command(*words, "--output", "out")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("ddp-r2", ran.stderr)  # progress
        document = json.loads(ran.stdout)
        (run,) = document["runs"]
        self.assertEqual((document["schema_version"], run["folder"], run["notes"]), (1, "out", []))
        for file in (self.folder / "out").glob("*.csv"):
            rows = rows_of(file)
            self.assertEqual(len(run[file.stem]), len(rows))
            for row, values in zip(rows, run[file.stem], strict=True):
                self.assertEqual(list(row), list(values))
                for name, cell in row.items():
                    self.assertEqual(cell == "", values[name] is None, name)
                    if isinstance(values[name], float):
                        self.assertEqual(float(cell), values[name], name)
                    elif cell:
                        self.assertEqual(cell, str(values[name]).lower() if values[name] in (True, False) else str(values[name]))
        self.assertEqual(run["config"]["name"], "tiny")
        self.assertEqual(run["environment"], json.loads((self.folder / "out/environment.json").read_text()))
        again = self.command("report", "out", "--format", "json")
        self.assertEqual((again.returncode, again.stderr, again.stdout), (0, "", ran.stdout))
        text = self.command("report", "out").stdout
        self.assertIn(run["contracts"][0]["decision"], text)

    def test_certificates_alone_are_json_too(self):
        ran = self.command("verify", "--config", self.write(tiny()), "--output", "out", "--quiet", "--format", "json")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        (run,) = json.loads(ran.stdout)["runs"]
        self.assertEqual({row["certified"] for row in run["cases"]}, {True})
        self.assertEqual({row["step_seconds"] for row in run["cases"]}, {None})

    def test_a_format_that_does_not_exist_or_apply_is_rejected(self):
        self.assertIn("unknown format 'xml'; available: text, json", self.rejected(WITHOUT_ROUNDS, "--format", "xml"))
        ended = self.command("--config", self.write(tiny()), "--dry-run", "--format", "json")
        self.assertEqual((ended.returncode, ended.stdout), (2, ""))
        self.assertIn("leave out --format json", ended.stderr)

    def test_notes_of_an_interrupted_run_are_in_json(self):
        folder = self.copy()
        (folder / "lock").write_text("")
        ended = self.command("report", str(folder), "--format", "json")
        (run,) = json.loads(ended.stdout)["runs"]
        self.assertIn("lock", run["notes"][0])
        self.assertIn(run["notes"][0], ended.stderr)

    def test_trainings_are_written_for_other_programs(self):
        ended = self.command("report", str(WITHOUT_ROUNDS), "--mllog", "log.txt", "--tensorboard", "board")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("002-ddp-r2", ended.stdout)
        cases = [row["case_id"] for row in rows_of(WITHOUT_ROUNDS / "cases.csv")]
        lines = [json.loads(line.removeprefix(":::MLLOG ")) for line in (self.folder / "log.txt").read_text().splitlines()]
        self.assertEqual([line["namespace"] for line in lines if line["key"] == "run_stop"], cases)
        accuracies = [str(line["value"]) for line in lines if line["key"] == "eval_accuracy"]
        self.assertEqual(accuracies, [row["accuracy_ratio"] for row in rows_of(WITHOUT_ROUNDS / "epochs.csv")])
        for line in lines:
            self.assertEqual(list(line), ["namespace", "time_ms", "event_type", "key", "value", "metadata"])
        for case_id in cases:  # the times of a case: nothing ends before it begins
            times = [line["time_ms"] for line in lines if line["namespace"] == case_id]
            self.assertEqual(times, sorted(times))
            self.assertEqual(len(list((self.folder / "board" / case_id).glob("events.out.tfevents.*"))), 1)

    def test_other_files_that_cannot_be_written_are_errors(self):
        self.assertIn("nowhere", self.rejected(WITHOUT_ROUNDS, "--mllog", "nowhere/log.txt"))
        (self.folder / "file").write_text("mine")
        self.assertIn("file/001-single-r1: cannot be created", self.rejected(WITHOUT_ROUNDS, "--tensorboard", "file"))
        self.assertEqual((self.folder / "file").read_text(), "mine")

    def test_several_folders_are_shown_one_after_the_other(self):
        first, second = self.copy("first"), self.copy("second")
        ended = self.command("report", "first", "second")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertRegex(ended.stdout, r"(?s)^first:\n.*\n\nsecond:\n")
        text = self.page(first, second)
        self.assertEqual(text.count("<h1>"), 2)


if __name__ == "__main__":
    unittest.main()
