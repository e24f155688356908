"""Hostile files wherever a user names one: each is an error that names the file, in bounded time and memory.

    hostile_input.py BINARY [SECONDS]
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

MOST_SECONDS = int(sys.argv.pop(2)) if len(sys.argv) > 2 else 10

from harness import BINARY, CommandTest, tiny  # noqa: E402 (the import takes the binary from the arguments)

MOST_BYTES = 1 << 30
MILLION = 1_000_000


def brackets(path):
    path.write_bytes(b"[" * MILLION)


def nested_member(path):
    """Well-formed, so that a parser which builds values has them all."""
    path.write_bytes(b'{"kind": "case", "record": ' + b"[" * MILLION + b"]" * MILLION + b"}\n\n")


def digits(path):
    path.write_bytes(b'{"name": ' + b"9" * MILLION + b"}\n\n")


def sparse(path):
    """A file that takes no space on the disk but is larger than every limit."""
    path.touch()
    os.truncate(path, 1 << 40)


def invalid_utf8(path):
    path.write_bytes(b'{"name\xff\xfe": "\xc3\x28\xed\xa0\x80"}\n\n' * 10)


def zeros(path):
    path.symlink_to("/dev/zero")


def empty(path):
    path.touch()


def folder(path):
    path.mkdir()


def fifo(path):
    os.mkfifo(path)


def loop(path):
    path.symlink_to(path.name)


FILES = (brackets, nested_member, digits, sparse, invalid_utf8, zeros, empty, folder, fifo, loop)


def data_set(**settings):
    config = tiny()
    config["workload"]["dataset"] = settings
    return config


def model(**settings):
    config = tiny()
    config["workload"]["model"] = settings
    return config


def text(**settings):
    config = data_set(kind="text", sequence_length=4, **settings)
    config["workload"]["model"] = "tiny-gpt"
    return config


def checkpoint(**settings):
    config = tiny()
    config["training"]["checkpoint"] = settings
    return config


def idx(count, side):
    return bytes([0, 0, 8, 3]) + b"".join(size.to_bytes(4, "big") for size in (count, side, side)) + bytes(count * side * side)


def idx_files(here, others):
    for part in ("train", "t10k"):
        for kind, content in (("images-idx3", idx(64, 4)), ("labels-idx1", bytes([0, 0, 8, 1, 0, 0, 0, 64]) + bytes(64))):
            name = f"{part}-{kind}-ubyte"
            if name in others:
                (here / name).write_bytes(content)
    return data_set(kind="idx", path=".")


IDX = [f"{part}-{kind}-ubyte" for part in ("train", "t10k") for kind in ("images-idx3", "labels-idx1")]


def cifar_files(here, others):
    for name in others:
        (here / name).write_bytes(bytes(2 * 3073))
    return data_set(kind="cifar", path=".")


CIFAR = [*(f"data_batch_{number}.bin" for number in range(1, 6)), "test_batch.bin"]


def vocabulary_files(here, others):
    visible = [*range(33, 127), *range(0xA1, 0xAD), *range(0xAE, 256)]
    tokens = [*map(chr, visible), *(chr(256 + i) for i in range(256 - len(visible))), "ab", "<|endoftext|>"]
    contents = {"encoder.json": json.dumps({token: number for number, token in enumerate(tokens)}), "vocab.bpe": "a b\n"}
    for name in others:
        (here / name).write_text(contents[name], encoding="utf-8")
    (here / "text.txt").write_text("ab " * 1000)
    return text(path="text.txt", tokenizer="gpt2", vocabulary=".")


def results(here, others):
    shutil.copytree(RUN, here / "out")
    for name in {"journal.jsonl", "config.json", "environment.json"} - set(others):
        (here / "out" / name).unlink()


class Place:
    """Where a user names a file: `command` reads `file`, which is in the current folder. `accepts`: contents that are valid
    there."""

    def __init__(self, file, command, config=None, accepts=(), files=None, others=(), named=None):
        self.file, self.command, self.config, self.accepts = file, command, config, accepts
        self.files, self.others = files, others
        self.named = named or pathlib.Path(file).name

    def prepare(self, here, hostile):
        config = self.files(here, [name for name in self.others if name != self.file]) if self.files else self.config
        if config is not None:
            (here / "experiment.json").write_text(json.dumps(config))
        hostile(here / self.file)


VALIDATE = ("validate", "--config", "experiment.json")
# A run that is killed may leave a journal that is empty or one incomplete line.
KILLED = ("empty", "brackets")
TEXT = ("brackets", "nested_member", "digits", "invalid_utf8")
PLACES = [
    Place("experiment.json", VALIDATE),
    Place("experiment.json", ("--dry-run", "experiment.json")),
    Place("model.json", VALIDATE, model(kind="graph", file="model.json")),
    Place("model.json", ("describe", "model.json")),
    *(Place(name, VALIDATE, files=idx_files, others=IDX) for name in IDX),
    *(Place(name, VALIDATE, files=cifar_files, others=CIFAR) for name in ("data_batch_3.bin", "test_batch.bin")),
    Place("text.txt", VALIDATE, text(path="text.txt"), accepts=TEXT),
    *(Place(name, VALIDATE, files=vocabulary_files, others=("encoder.json", "vocab.bpe"))
      for name in ("encoder.json", "vocab.bpe")),
    Place("photos", VALIDATE, data_set(kind="image-folder", path="photos")),
    Place("w.safetensors", VALIDATE, checkpoint(load="w.safetensors")),
    Place("w.safetensors", VALIDATE, checkpoint(load="w.safetensors", resume=True)),
    *(Place("out/journal.jsonl", command, files=results, others=("config.json", "environment.json"), accepts=KILLED)
      for command in (("report", "out"), ("report", "out", "--format", "json"), ("compare", "out", "out"),
                      ("merge", "out", "--output", "merged"))),
    Place("out/journal.jsonl", ("--resume", "out"), files=results, others=("config.json", "environment.json"), named="out"),
    *(Place(f"out/{name}", command, files=results, others={"journal.jsonl", "config.json", "environment.json"} - {name})
      for name in ("config.json", "environment.json") for command in (("--resume", "out"), ("merge", "out", "--output", "merged"))),
]


def run(here, *words):
    """Returns exit code, output, seconds and peak memory of the command."""
    begin = time.monotonic()
    with open(here / "said", "w+b") as said:
        process = subprocess.Popen([BINARY, *words], cwd=here, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        killer = threading.Timer(3 * MOST_SECONDS, process.kill)
        killer.start()
        _, status, used = os.wait4(process.pid, 0)
        killer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
    return process.returncode, text, time.monotonic() - begin, used.ru_maxrss * 1024


def finding(place, hostile):
    """Returns what is wrong with the answer to a hostile file in a place; empty if nothing is."""
    with tempfile.TemporaryDirectory(prefix="ddlbench-") as name:
        here = pathlib.Path(name)
        place.prepare(here, hostile)
        code, said, seconds, peak_bytes = run(here, *place.command)
    accepted = hostile.__name__ in place.accepts
    wrong = []
    if code != (0 if accepted else 2):
        wrong.append(f"exit code {code}")
    if not accepted and place.named not in said:
        wrong.append("the file is not named")
    if re.search(r"json\.exception|std::|a bug in", said):
        wrong.append("an internal error")
    if len(said) > 10000:
        wrong.append(f"{len(said)} characters")
    if seconds > MOST_SECONDS:
        wrong.append(f"{seconds:.0f} s")
    if peak_bytes > MOST_BYTES:
        wrong.append(f"{peak_bytes >> 20} MiB")
    return f"{hostile.__name__} as {place.file}, {' '.join(place.command)}: {', '.join(wrong)}: {said[:300]}" if wrong else ""


class Hostile(CommandTest):
    def test_every_file_in_every_place(self):
        global RUN
        config = tiny() | {"strategies": ["single"]}
        config["measure"] |= {"verify_steps": 0, "steps": 1, "repetitions": 1}
        self.assertEqual(self.command("--config", self.write(config), "--output", "out").returncode, 0)
        RUN = self.folder / "out"
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            found = list(pool.map(finding, *zip(*((place, hostile) for place in PLACES for hostile in FILES))))
        found = [one for one in found if one]
        self.assertFalse(found, f"{len(found)} findings:\n" + "\n".join(found))

    def assert_refused(self, words, *command):
        code, said, seconds, peak_bytes = run(self.folder, *command)
        self.assertEqual(code, 2, said[:1000])
        self.assertLess(len(said), 20000)
        self.assertIn(words, said)
        self.assertLess(seconds, MOST_SECONDS)
        self.assertLess(peak_bytes, MOST_BYTES)

    def test_models_with_very_many_layers(self):
        for layers, words in ((MILLION, "more than 250000 values"), (200_000, "more than the 10000 that a list may have"),
                              (10_000, "more than the 4000 layers")):
            self.write(json.dumps(model(kind="mlp", hidden=[16] * layers)))
            self.assert_refused(words, *VALIDATE)
        layer = {"kind": "linear", "features": 4}
        sample = {"name": "m", "sample": {"shape": [4], "classes": 4}}
        self.write(model(kind="graph", file="model.json"))
        for layers, words in (([layer] * MILLION, "16777216 bytes"), ([layer] * 80_000, "more than the 4000 layers"),
                              ([layer | {"name": "n" * 100_000}], "longer than the 100 bytes")):
            (self.folder / "model.json").write_text(json.dumps(sample | {"layers": layers}, separators=(",", ":")))
            self.assert_refused(words, *VALIDATE)

    def test_blocks_that_multiply(self):
        blocks = {f"b{i}": {"layers": [{"block": f"b{i + 1}", "repeat": 10_000}]} for i in range(60)}
        blocks["b60"] = {"layers": [{"kind": "linear", "features": 4}]}
        self.write(model(kind="graph", file="model.json"))
        (self.folder / "model.json").write_text(json.dumps(
            {"name": "m", "sample": {"shape": [4], "classes": 4}, "blocks": blocks, "layers": [{"block": "b0"}]}))
        self.assert_refused("more than the 4000 layers", *VALIDATE)

    def test_configurations_with_very_many_mistakes(self):
        self.write(json.dumps({f"key{i}": i for i in range(100_000)}))
        self.assert_refused('unknown key "key0"', *VALIDATE)

    def test_a_large_text_in_a_list_of_classes(self):
        for label in ("cat", "dog"):
            (self.folder / "photos" / label).mkdir(parents=True)
        self.write(data_set(kind="image-folder", path="photos", classes="x" * 8_000_000))
        self.assert_refused("longer than the 4096 bytes", *VALIDATE)


if __name__ == "__main__":
    unittest.main()
