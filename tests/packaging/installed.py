"""`cmake --install` into a folder that is then moved: everything is there, and works from elsewhere."""

import subprocess
import sys
import unittest

CMAKE, BUILD = sys.argv[1:3]
del sys.argv[1:3]

from program import ROOT, ProgramTest  # noqa: E402  (it reads no arguments of its own)


class Installed(ProgramTest):
    def test_a_moved_installation_is_whole(self):
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", self.folder / "first"], check=True, capture_output=True)
        prefix = (self.folder / "first").rename(self.folder / "moved")
        self.assert_is_whole(prefix)
        self.assertEqual((prefix / "share/man/man1/ddlbench.1").read_text(),
                         self.run_in(self.elsewhere, prefix / "bin" / "ddlbench", "man"))
        self.assertEqual((prefix / "share/doc/ddlbench/LICENSE").read_text(), (ROOT / "LICENSE").read_text())
        self.assertEqual((prefix / "share/ddlbench/configs/ddlbench.schema.json").read_text(),
                         (ROOT / "configs/ddlbench.schema.json").read_text())


if __name__ == "__main__":
    unittest.main()
