"""Tests scripts/lib/failed_tests on the log of real CTest runs."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lib" / "failed_tests"
TESTS = """
add_test(passes "sh" "-c" "echo all is well")
add_test(is_missing "/no/such/program")
add_test(fails "sh" "-c" "seq 1 9; exit 3")
add_test(is_late "sh" "-c" "echo before; exec sleep 30")
set_tests_properties(is_late PROPERTIES TIMEOUT 1)
add_test(is_skipped "sh" "-c" "exit 77")
set_tests_properties(is_skipped PROPERTIES SKIP_RETURN_CODE 77)
"""


class FailedTests(unittest.TestCase):
    def test_only_the_end_of_what_failed_is_printed(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "CTestTestfile.cmake").write_text(TESTS, encoding="utf-8")
            subprocess.run(["ctest"], cwd=folder, check=False, capture_output=True)
            said = subprocess.run([sys.executable, SCRIPT, folder / "Testing/Temporary/LastTest.log", "2"], text=True,
                                  check=True, capture_output=True).stdout
        self.assertEqual(said, "\n=== is_missing failed\nUnable to find executable: /no/such/program\n"
                               "\n=== fails failed, its last 2 lines\n8\n9\n\n=== is_late failed\nbefore\n")


if __name__ == "__main__":
    unittest.main()
