"""Tests scripts/plot: its figures show what the tables say, and problems in a table are reported."""

import csv
import shutil

from plot_harness import REFERENCE, InFolder, main, marks, plot, script, table, width, written

PARTS = "forward backward recompute optimizer communication bubble input rest".split()

EVERYTHING = "epoch_time,speedup,memory,learning,budget,prediction,utilisation"


class Plot(InFolder):
    """Works on a copy of the quickstart's tables."""

    def setUp(self):
        super().setUp()
        shutil.copytree(REFERENCE, self.run_folder, ignore=shutil.ignore_patterns("*.json", "*.jsonl", "log", "trace"))

    def edit(self, name, change):
        """Rewrites a table of the copied run: change(rows) alters a list of dicts in place."""
        path = self.run_folder / name
        rows = table(path)
        columns = list(rows[0])
        change(rows)
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)

    def keep_last_cases(self, count):
        kept = [row["case_id"] for row in table(self.run_folder / "cases.csv")][-count:]

        def keep(rows):
            rows[:] = [row for row in rows if row["case_id"] in kept]

        for path in self.run_folder.glob("*.csv"):
            self.edit(path.name, keep)


class Values(Plot):
    def test_every_mark_is_a_cell_and_every_cell_has_its_mark(self):
        self.drawn("--only", EVERYTHING)  # once for both
        self.check_marks()
        self.check_cells()

    def check_marks(self):
        cases = {row["case_id"]: row for row in table(self.run_folder / "cases.csv")}
        ranks = {(row["case_id"], row["rank"]): row for row in table(self.run_folder / "ranks.csv")}
        epochs = {(row["case_id"], row["epoch"]): row for row in table(self.run_folder / "epochs.csv")}
        samples = table(self.run_folder / "utilisation.csv")
        seen = 0
        for path in sorted(self.out.glob("*.svg")):
            for data, _ in marks(path):
                case = data["case"]
                if path.name.startswith("utilisation"):
                    cells = [row[data["column"]] for row in samples if row["case_id"] == case]
                    self.assertEqual(data["value"].split(), [cell for cell in cells if cell], (path.name, data))
                    continue
                rows = ([epochs[case, epoch] for epoch in data["epoch"].split()] if "epoch" in data else
                        [ranks[case, data["rank"]] if "rank" in data else cases[case]])
                expected = " ".join(row[column] for row in rows for column in data["column"].split())
                self.assertEqual(data["value"], expected, (path.name, data))
                seen += 1
        self.assertGreater(seen, 200)

    def test_gpus_are_drawn_where_there_are_samples_of_them(self):
        columns = ["gpu_utilisation_ratio", "gpu_memory_bytes", "gpu_power_watts"]
        self.keep_last_cases(3)
        path = self.run_folder / "utilisation.csv"
        rows = table(path)
        on_gpus = rows[-1]["case_id"]
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [name for name in rows[0] if name not in columns] + columns)
            writer.writeheader()
            for i, row in enumerate(rows):
                cells = [f"0.{i % 10}", str(i << 30), str(100.5 + i)] if row["case_id"] == on_gpus else ["", "", ""]
                writer.writerow(row | dict(zip(columns, cells)))
        self.drawn("--only", "utilisation")
        rows = table(path)
        for picture in self.out.glob("utilisation-*.svg"):
            drawn = {data["column"]: data["value"] for data, _ in marks(picture)}
            for column in set(columns) & set(drawn):
                self.assertEqual(drawn[column].split(), [row[column] for row in rows if row["case_id"] == on_gpus])
            self.assertEqual(set(columns) <= set(drawn), picture.stem.endswith(on_gpus), picture.name)

    def test_ranks_that_share_a_gpu_are_set_apart(self):
        path = self.run_folder / "cases.csv"
        rows = table(path)
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [name for name in rows[0] if name != "devices_shared"] + ["devices_shared"])
            writer.writeheader()
            writer.writerows(row | {"devices_shared": "true" if row["ranks"] == "2" else ""} for row in rows)
        self.drawn("--only", "budget,epoch_time")
        shown = " ".join(written(self.out / "budget.svg")).replace("\u00a0", " ")
        self.assertIn("2 ranks (ranks share a GPU)", shown)
        self.assertIn("ranks share a GPU", written(self.out / "epoch_time.svg"))

    def check_cells(self):
        expected = {"epoch_time": ["epoch_seconds"], "speedup": ["speedup_ratio"],
                    "prediction": ["predicted_step_seconds"], "budget": [f"budget_{part}_seconds" for part in PARTS]}
        for name, columns in expected.items():
            drawn = {(data["case"], data["column"]) for data, _ in marks(self.out / f"{name}.svg")}
            for row in table(self.run_folder / "cases.csv"):
                for column in columns:
                    self.assertEqual((row["case_id"], column) in drawn, row[column] != "", (name, row["case_id"]))
        drawn = {(data["case"], epoch, data["against"]) for data, _ in marks(self.out / "learning.svg")
                 for epoch in data["epoch"].split()}
        for row in table(self.run_folder / "epochs.csv"):
            for against in ("elapsed_seconds", "epoch"):
                self.assertIn((row["case_id"], row["epoch"], against), drawn)

    def test_bars_are_as_long_as_their_values(self):
        self.drawn("--only", "budget")
        bars = [(float(data["value"]), width(drawing)) for data, drawing in marks(self.out / "budget.svg")
                if data["column"].startswith("budget_")]
        longest = max(value for value, _ in bars)
        scale = next(length / value for value, length in bars if value == longest)
        self.assertGreater(len(bars), 8)
        for value, length in bars:
            self.assertAlmostEqual(length, value * scale, delta=0.01)

    def test_equal_tables_give_equal_bytes(self):
        words = ["--only", "speedup,budget", "--format", "svg,png,pdf"]
        self.drawn(*words)
        first = {path.name: path.read_bytes() for path in self.out.iterdir()}
        self.assertEqual(len(first), 6)
        self.drawn(*words)
        self.assertEqual(first, {path.name: path.read_bytes() for path in self.out.iterdir()})

    def test_two_runs_are_distinguished(self):
        other = self.folder / "other"
        shutil.copytree(self.run_folder, other)
        ended = plot(self.run_folder, other, "--output", self.out, "--format", "svg", "--only", "epoch_time")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        experiments = {data["experiment"] for data, _ in marks(self.out / "epoch_time.svg")}
        self.assertEqual(len(experiments), 2)

    def test_the_script_draws_png_too(self):
        ended = script(self.run_folder, "--output", self.out, "--only", "speedup")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertTrue((self.out / "speedup.png").read_bytes().startswith(b"\x89PNG"))


class Gaps(Plot):
    def test_a_case_that_failed_is_named_and_not_drawn_as_a_value(self):
        def fail(rows):
            for row in rows:
                if row["strategy"] == "tensor" and row["ranks"] == "4":
                    row["status"] = "out_of_memory"
                    for column in ("step_seconds", "epoch_seconds", "speedup_ratio"):
                        row[column] = ""

        self.edit("cases.csv", fail)
        self.drawn("--only", "epoch_time")
        found = [data for data, _ in marks(self.out / "epoch_time.svg") if data["column"] == "status"]
        self.assertEqual([data["value"] for data in found], ["out_of_memory"])

    def test_a_figure_without_data_is_left_out_with_a_word(self):
        def unpredicted(rows):
            for row in rows:
                row["predicted_step_seconds"] = ""

        self.edit("cases.csv", unpredicted)
        ended = self.drawn("--only", "prediction,budget")
        self.assertIn("prediction is not drawn", ended.stderr)
        self.assertFalse((self.out / "prediction.svg").exists())

    def test_missing_tables_leave_their_figures_out(self):
        (self.run_folder / "utilisation.csv").unlink()
        (self.run_folder / "epochs.csv").unlink()
        ended = self.drawn("--only", "utilisation,learning,budget")
        self.assertIn("utilisation is not drawn", ended.stderr)
        self.assertIn("learning is not drawn", ended.stderr)
        self.assertTrue((self.out / "budget.svg").exists())


class Damage(Plot):
    def test_folders_that_do_not_exist_or_have_no_results(self):
        self.assertIn("no such folder", self.refused(self.folder / "nothing"))
        (self.folder / "empty").mkdir()
        self.assertIn("has no cases.csv", self.refused(self.folder / "empty"))
        self.assertIn("named more than once", self.refused(self.run_folder, self.run_folder, "--output", self.out))

    def test_an_empty_sweep(self):
        self.edit("cases.csv", lambda rows: rows.clear())
        self.assertIn("no cases", self.refused(self.run_folder))

    def test_a_cut_line_and_a_word_for_a_number_are_named(self):
        path = self.run_folder / "cases.csv"
        lines = path.read_bytes().split(b"\r\n")
        path.write_bytes(b"\r\n".join(lines[:2] + [lines[2][:40]]))
        self.assertIn("cases.csv:3:", self.refused(self.run_folder))
        path.write_bytes(b"\r\n".join(lines))

        def word(rows):
            rows[1]["step_seconds"] = "soon"

        self.edit("cases.csv", word)
        error = self.refused(self.run_folder)
        self.assertIn("cases.csv:3: step_seconds is 'soon'", error)

    def test_an_unknown_version_and_a_missing_column(self):
        def version(rows):
            rows[0]["schema_version"] = "99"

        self.edit("cases.csv", version)
        self.assertIn("schema_version is '99'", self.refused(self.run_folder))
        path = self.run_folder / "cases.csv"
        path.write_text(path.read_text(encoding="utf-8").replace("contract_id", "agreement_id"), encoding="utf-8")
        self.assertIn("has no column contract_id", self.refused(self.run_folder))

    def test_an_output_that_cannot_be_written(self):
        (self.folder / "file").write_text("", encoding="utf-8")
        self.assertIn("file", self.refused(self.run_folder, "--output", self.folder / "file", "--only", "speedup"))

    def test_unknown_formats_and_figures(self):
        self.assertIn("not one of svg, png, pdf", self.refused(self.run_folder, "--format", "eps"))
        for width_ in ("wide", "0", "-3", "nan", "1e9"):
            self.assertIn("neither column nor page", self.refused(self.run_folder, "--width", width_))
        self.assertIn("not one of epoch_time", self.refused(self.run_folder, "--only", "pie"))


if __name__ == "__main__":
    main()
