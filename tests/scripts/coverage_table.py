"""The table of scripts/coverage: rooms, the total, the files with the most lines not run, and the minimum."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/lib/coverage_table"


def file(name, lines, ran):
    return {"filename": name, "line_total": lines, "line_covered": ran}


FILES = [file("base/a.cpp", 100, 100), file("base/text/b.cpp", 100, 79), file("bench/case/c.cpp", 800, 720),
         file("bench/main.cpp", 0, 0)]


class CoverageTable(unittest.TestCase):
    def run_on(self, files, minimum):
        with tempfile.TemporaryDirectory() as folder:
            summary = Path(folder) / "summary.json"
            summary.write_text(json.dumps({"files": files}))
            return subprocess.run([SCRIPT, summary, minimum], capture_output=True, text=True, check=False)

    def test_rooms_are_sums_of_their_files(self):
        ended = self.run_on(FILES, "0")
        rows = [line.split() for line in ended.stdout.splitlines()]
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn(["base", "200", "21", "89.5", "%"], rows)
        self.assertIn(["bench/case", "800", "80", "90.0", "%"], rows)
        self.assertIn(["total", "1000", "101", "89.9", "%"], rows)
        self.assertEqual([row[0] for row in rows[rows.index([]) + 2:]],
                         ["bench/case/c.cpp", "base/text/b.cpp", "base/a.cpp"])

    def test_a_total_below_the_minimum_fails(self):
        ended = self.run_on(FILES, "90")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("only 89.9 % of the lines ran, but 90 % must", ended.stdout)
        self.assertEqual(self.run_on(FILES, "89.9").returncode, 0)

    def test_no_file_is_an_error(self):
        ended = self.run_on([file("base/a.cpp", 0, 0)], "0")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("has no file with lines", ended.stderr)


if __name__ == "__main__":
    unittest.main()
