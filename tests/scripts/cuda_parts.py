"""Tests cmake/CudaParts.cmake: where it looks for a header and its library, on made-up prefixes and Python packages."""

import os
import pathlib
import subprocess
import tempfile
import unittest

PARTS = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "CudaParts.cmake"

SCRIPT = """
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu)
include({parts})
{settings}
ddlbench_find_part(PART HEADER made_up.h LIBRARY made_up {arguments})
message("FOUND ${{PART_FOUND}} ${{PART_INCLUDE_DIR}} ${{PART_LIBRARY}}")
if(PART_FOUND)
  ddlbench_read_version(version ${{PART_INCLUDE_DIR}}/made_up.h MADE_UP_MAJOR MADE_UP_MINOR)
  message("VERSION ${{version}}")
endif()
"""


class Parts(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def plant(self, *names):
        for name in names:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("#define MADE_UP_MAJOR 9\n#  define MADE_UP_MINOR   19\n", encoding="utf-8")

    def find(self, settings="", arguments="", **environment):
        script = self.folder / "find.cmake"
        script.write_text(SCRIPT.format(parts=PARTS, settings=settings, arguments=arguments), encoding="utf-8")
        clean = {key: value for key, value in os.environ.items() if key not in {"CMAKE_PREFIX_PATH", "CONDA_PREFIX"}}
        ended = subprocess.run(["cmake", "-P", script], capture_output=True, text=True, check=True,
                               env={**clean, **environment})
        said = dict(line.split(" ", 1) for line in ended.stderr.splitlines())
        return said["FOUND"].replace(f"{self.folder}/", "").split(), said.get("VERSION")

    def test_nowhere(self):
        self.plant("prefix/include/made_up.h", "prefix/lib/libother.so")
        self.assertEqual(self.find(f"set(CMAKE_PREFIX_PATH {self.folder}/prefix)"), (["FALSE"], None))

    def test_a_prefix_by_variable_and_by_environment(self):
        self.plant("prefix/include/made_up.h", "prefix/lib64/libmade_up.so", "prefix/lib64/libmade_up.so.9")
        expected = (["TRUE", "prefix/include", "prefix/lib64/libmade_up.so"], "9.19")
        self.assertEqual(self.find(f"set(CMAKE_PREFIX_PATH {self.folder}/prefix)"), expected)
        self.assertEqual(self.find(CMAKE_PREFIX_PATH=f"/nowhere:{self.folder}/prefix"), expected)
        self.assertEqual(self.find(CONDA_PREFIX=f"{self.folder}/prefix"), expected)
        self.assertEqual(self.find(arguments=f"TOOLKIT {self.folder}/prefix"), expected)

    def test_folders_of_an_architecture(self):
        self.plant("usr/include/x86_64-linux-gnu/made_up.h", "usr/lib/x86_64-linux-gnu/libmade_up.so")
        self.plant("toolkit/targets/x86_64-linux/include/made_up.h", "toolkit/targets/x86_64-linux/lib/libmade_up.so")
        for root in ("usr", "toolkit"):
            self.assertEqual(self.find(arguments=f"TOOLKIT {self.folder}/{root}")[0][0], "TRUE", root)

    def test_wheels_have_only_versioned_names(self):
        self.plant("site/nvidia/made/include/made_up.h", "site/nvidia/made/lib/libmade_up.so.9")
        found = self.find(arguments=f"SITES {self.folder}/empty {self.folder}/site WHEELS cu13 made")
        self.assertEqual(found[0], ["TRUE", "site/nvidia/made/include", "site/nvidia/made/lib/libmade_up.so.9"])

    def test_a_header_and_a_library_must_be_in_the_same_place(self):
        self.plant("old/include/made_up.h", "new/include/made_up.h", "new/lib/libmade_up.so", "older/lib/libmade_up.so")
        found, _ = self.find(f"set(CMAKE_PREFIX_PATH {self.folder}/old {self.folder}/older {self.folder}/new)")
        self.assertEqual(found, ["TRUE", "new/include", "new/lib/libmade_up.so"])

    def test_only_a_named_root_is_searched(self):
        self.plant("prefix/include/made_up.h", "prefix/lib/libmade_up.so", "mine/include/made_up.h")
        prefix = f"set(CMAKE_PREFIX_PATH {self.folder}/prefix)\n"
        self.assertEqual(self.find(f"{prefix}set(PART_ROOT {self.folder}/mine)")[0], ["FALSE"])
        self.assertEqual(self.find(prefix, PART_ROOT=f"{self.folder}/mine")[0], ["FALSE"])
        self.plant("mine/lib/libmade_up.so")
        self.assertEqual(self.find(prefix, PART_ROOT=f"{self.folder}/mine")[0][1], "mine/include")

    def test_cached_paths_are_kept_while_they_exist(self):
        self.plant("prefix/include/made_up.h", "prefix/lib/libmade_up.so", "kept/made_up.h", "kept/libmade_up.so.9")
        kept = f"set(CMAKE_PREFIX_PATH {self.folder}/prefix)\nset(PART_INCLUDE_DIR {self.folder}/kept CACHE PATH \"\")\n"
        self.assertEqual(self.find(f"{kept}set(PART_LIBRARY {self.folder}/kept/libmade_up.so.9 CACHE PATH '')")[0][1], "kept")
        self.assertEqual(self.find(f"{kept}set(PART_LIBRARY {self.folder}/gone.so CACHE PATH '')")[0][1:],
                         ["prefix/include", "prefix/lib/libmade_up.so"])


if __name__ == "__main__":
    unittest.main()
