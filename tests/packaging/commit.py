"""Which commit a version names (cmake/WriteBuildInfo.cmake): that of ddlbench's own repository, or none."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMAKE = sys.argv.pop(1) if len(sys.argv) > 1 else "cmake"


def git(folder, *words):
    return subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True,
                          capture_output=True, text=True).stdout.strip()


class Commit(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def written(self, source):
        (self.folder / "template").write_text("@GIT_COMMIT@ @GIT_DIRTY@")
        output = self.folder / "output"
        subprocess.run([CMAKE, f"-DSOURCE_DIR={source}", f"-DTEMPLATE={self.folder}/template", f"-DOUTPUT={output}",
                        "-P", ROOT / "cmake" / "WriteBuildInfo.cmake"], check=True, capture_output=True)
        return output.read_text().strip("\n")

    def repository(self):
        source = self.folder / "source"
        (source / "inner").mkdir(parents=True)
        (source / "file").write_text("1")
        git(source, "init", "--quiet")
        git(source, "add", "file")
        git(source, "commit", "--quiet", "--message", "One")
        return source

    def test_none_outside_a_repository(self):
        (self.folder / "source").mkdir()
        self.assertEqual(self.written(self.folder / "source"), " false")

    def test_that_of_the_repository_and_whether_files_differ_from_it(self):
        source = self.repository()
        self.assertEqual(self.written(source), git(source, "rev-parse", "HEAD") + " false")
        (source / "file").write_text("2")
        self.assertEqual(self.written(source), git(source, "rev-parse", "HEAD") + " true")

    def test_none_within_the_repository_of_something_else(self):
        self.assertEqual(self.written(self.repository() / "inner"), " false")


if __name__ == "__main__":
    unittest.main()
