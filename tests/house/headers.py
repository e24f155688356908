"""Checks that every header of a room compiles alone. usage: headers.py BUILD_FOLDER [FOLDER]… (BUILD_FOLDER has
compile_commands.json; headers in a FOLDER of a room are left out, because what they depend on is missing)."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from source_tree import ROOMS, ROOT, files, report


def compiler_and_flags(build):
    """Returns the compiler, and every include folder, definition and standard that the build uses."""
    flags = []
    compiler = None
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        if entry["file"].endswith(".cu"):
            continue
        words = shlex.split(entry["command"])
        while Path(words[0]).name in {"ccache", "sccache"}:
            words.pop(0)
        compiler = compiler or words[0]
        for word, following in zip(words[1:], words[2:] + [""]):
            flag = ((word, following) if word == "-isystem"
                    else (word,) if word.startswith(("-I", "-D", "-std=")) else None)
            if flag and flag not in flags:
                flags.append(flag)
    return compiler, [word for flag in flags for word in flag]


def problem(compiler, flags, header):
    result = subprocess.run(
        [compiler, *flags, "-fsyntax-only", "-x", "c++", "-include", str(header), os.devnull],
        capture_output=True, text=True, check=False,
    )
    return None if result.returncode == 0 else f"{header}: does not compile alone\n{result.stderr}"


def self_test(compiler, flags):
    with tempfile.TemporaryDirectory() as folder:
        header = Path(folder) / "planted.h"
        header.write_text("#pragma once\nstd::vector<int> needs_an_include();\n", encoding="utf-8")
        assert problem(compiler, flags, header), "a header without its includes was accepted"
        commands = [{"file": "a.cpp", "command": f"{compiler} -I/a -DPLANTED=1 -O2 -c a.cpp"}]
        (Path(folder) / "compile_commands.json").write_text(json.dumps(commands), encoding="utf-8")
        found = compiler_and_flags(Path(folder))
        assert found == (compiler, ["-I/a", "-DPLANTED=1"]), f"the flags that headers need are lost: {found}"


if __name__ == "__main__":
    compiler, flags = compiler_and_flags(Path(sys.argv[1]))
    self_test(compiler, flags)
    headers = [ROOT / path for path in files() if path.parts[0] in ROOMS and path.suffix == ".h"
               and path.parts[1] not in sys.argv[2:]]
    assert headers, "no header found"
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        report([p for p in pool.map(lambda header: problem(compiler, flags, header), headers) if p])
