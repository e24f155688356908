"""make_photos: what it writes, and which arguments it rejects."""

import subprocess
import sys
import tempfile
from pathlib import Path


def run(*arguments):
    done = subprocess.run([sys.argv[1], *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


with tempfile.TemporaryDirectory() as temporary:
    top = Path(temporary) / "photos"
    code, said = run(top, "--classes", 2, "--per-class", 3, "--size", "40x30", "--seed", 7)
    assert code == 0, said
    assert "8 images of 40x30" in said, said
    written = sorted(str(path.relative_to(top)) for path in top.rglob("*.jpg"))
    assert written == [
        "train/class_00/000000.jpg", "train/class_00/000001.jpg", "train/class_00/000002.jpg",
        "train/class_01/000000.jpg", "train/class_01/000001.jpg", "train/class_01/000002.jpg",
        "val/class_00/000003.jpg", "val/class_01/000003.jpg",
    ], written

    code, said = run(top)
    assert code == 2 and "exists and is not empty" in said, said
    for wrong in (["--size", "0"], ["--size", "10x"], ["--size", "99999"], ["--classes", "1"], ["--quality", "0"], ["--blue"]):
        code, said = run(Path(temporary) / "other", *wrong)
        assert code == 2, (wrong, said)
    assert not (Path(temporary) / "other").exists()
    code, said = run()
    assert code == 2, said
    code, said = run("--help")
    assert code == 0 and "--per-class" in said, said
