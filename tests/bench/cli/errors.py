"""Error messages for users: they must report every mistake and its location, with the right exit code."""

import gzip
import json
import os
import pathlib
import resource
import struct
import unittest

from harness import CommandTest, tiny

GOLDEN = pathlib.Path(__file__).parent / "golden"
TRAINING = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte")
VALIDATION = ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")


def one_core():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


class Golden(CommandTest):
    def golden(self, name, *words):
        ended = self.command(*words, preexec_fn=one_core)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(ended.stdout, (GOLDEN / name).read_text(), f"{name} is what `{' '.join(words)}` prints")

    def test_list(self):
        self.golden("list.txt", "list")

    def test_dry_run(self):
        config = tiny() | {"strategies": ["single", "ddp", {"kind": "gpipe", "ranks": [2, 8]},
                                          {"kind": "hybrid", "mesh": {"data": 2, "tensor": 2}}]}
        ended = self.command("--config", self.write(config), "--dry-run", preexec_fn=one_core)
        *cases, expected = ended.stdout.splitlines(keepends=True)
        self.assertEqual("".join(cases), (GOLDEN / "dry_run.txt").read_text())
        self.assertRegex(expected, r"^Expected time: at least \d+ s: counted FLOPs at the peak that this machine reaches now, ")


class Refused(CommandTest):
    def rejected(self, *words, config=None, code=2):
        """Returns the error output; nothing may have run."""
        ended = self.command("--config", self.write(config or tiny()), "--output", "out", *words)
        self.assertEqual((ended.returncode, ended.stdout), (code, ""), ended.stderr)
        self.assertFalse((self.folder / "out").exists())
        return ended.stderr

    def rejected_set(self, *settings):
        words = []
        for setting in settings:
            words += ["--set", setting]
        return self.rejected(*words)

    def test_several_mistakes_are_reported_at_once(self):
        config = tiny()
        config["training"]["epoch"] = config["training"].pop("epochs")
        config["devices"]["ranks"] = [1, 0]
        config["strategies"] = ["singel", {"kind": "gpipe", "microbatches": "four"}]
        self.assertEqual(self.rejected(config=config), """\
experiment.json:24:5: /training/epoch: unknown key "epoch" (did you mean "epochs"?)
experiment.json:29:7: /devices/ranks/1: expected an integer from 1 to 4096; found 0
experiment.json:33:5: /strategies/0: unknown strategy "singel" (did you mean "single"?)
experiment.json:36:23: /strategies/1/microbatches: expected an integer from 1 to 16777216; found the string "four"
""")

    def test_a_workload_error_is_reported_once_at_its_location(self):
        for setting, place, number in (
                ("/workload/global_batch=257", "/workload/global_batch", "256"),
                ("/workload/dataset/shape=0x28", "/workload/dataset", "0x28"),
                ("/workload/model=lenet", "/workload/model", "16x16"),
                ("/workload/model/hidden=[30000000000,4]", "/workload/model/hidden/0", "1048576"),
                ("/workload/dataset/classes=1000000000000", "/workload/dataset/classes", "1048576")):
            said = self.rejected_set(setting)
            self.assertEqual(said.count("\n"), 1, said)
            self.assertIn(f"--set {setting}" if "[" not in setting else f"--set '{setting}'", said)
            self.assertIn(f": {place}: " if not setting.startswith(f"{place}=") else f"--set {setting}: ", said)
            self.assertIn(number, said)

    def test_missing_gpus_are_an_error_without_fallback(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
        self.addCleanup(os.environ.pop, "CUDA_VISIBLE_DEVICES")
        why = r"\b(built without CUDA|no NVIDIA driver|driver is too old|no GPU|GPUs do not respond)\b"
        for words in ((), ("--set", "/devices/transport=nccl"), ("--set", "/training/precision=tf32")):
            said = self.rejected("--set", "/devices/kind=cuda", *words)
            self.assertRegex(said, r"^--set /devices/kind=cuda: cuda cannot be used here: .*" + why)
            self.assertEqual(said.count("\n"), 1)
        for command in ("verify", "profile", "plan"):
            ended = self.command(command, "--config", self.write(tiny()), "--set", "/devices/kind=cuda")
            self.assertEqual((ended.returncode, ended.stdout), (2, ""))
            self.assertRegex(ended.stderr, why)
        ended = self.command("validate", "--config", self.write(tiny()), "--set", "/devices/kind=cuda")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertRegex(ended.stdout, "the experiment cannot run on this machine: /devices/kind: .*" + why)
        ended = self.command("--dry-run", "--config", self.write(tiny()), "--set", "/devices/kind=cuda")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertRegex(ended.stderr, "the cases cannot run on this machine: /devices/kind: .*" + why)

    def test_gpu_only_settings_are_rejected_on_the_cpu(self):
        self.assertIn("--set /devices/transport=nccl: nccl carries messages between GPUs",
                      self.rejected_set("/devices/transport=nccl"))
        self.assertIn("--set /training/precision=tf32: tf32 is a mode of GPUs", self.rejected_set("/training/precision=tf32"))

    def test_a_strategy_that_can_run_nowhere_names_numbers_and_remedy(self):
        for strategy, words in (
                ('{"kind":"gpipe","ranks":9}', "has 2 layers with weights, fewer than the 9 pipeline stages"),
                ('{"kind":"gpipe","ranks":2,"microbatches":3}', "use a multiple of 3"),
                ('{"kind":"tensor","ranks":64}', "use at most 16"),
                ('{"kind":"hybrid","mesh":{"data":2},"ranks":3}', 'the mesh has 2 ranks, but "ranks" says 3'),
                ('{"kind":"balanced","speeds":[2,1],"ranks":3}',
                 'the settings of "balanced" are for 2 ranks, but "ranks" says 3'),
                ('{"kind":"balanced","speeds":[1000,1]}', "rank 1 would have none of the"),
                ('{"kind":"balanced","speeds":[]}', "give one for each rank, such as [2, 1]"),
                ("balanced", "/speeds: missing"),
                ('{"kind":"hybrid","mesh":{"data":4096,"tensor":4096,"pipeline":4096}}', "more than 4096 ranks"),
                ("hybrid", "a hybrid needs a mesh")):
            said = self.rejected_set(f"/strategies/0={strategy}")
            self.assertTrue(said.startswith(("--set '/strategies/0=", "--set /strategies/0=")), said)
            self.assertIn(words, said)

    def test_odd_overrides(self):
        for setting in ("", "=", "/", "/name", "name=x", "/=1", "//=1", "/~2=x", "/name/x=1", "/strategies/99=ddp",
                        b"/name=\xff", b"/\xff=1", "/training=null", "/measure/steps=1e400", "/measure/steps=NaN",
                        "/strategies/-=" + "[" * 5000):
            said = self.rejected("--set", setting)
            self.assertTrue(said.startswith("--set "), said)
            self.assertNotIn("json.exception", said)

    def test_files_that_are_no_configuration(self):
        for text, words in (("", "is empty"), ("[]", "expected an object"), ('{"name": NaN}', "1:10: not JSON"),
                            ('{"name": 1e400}', "1:10: not JSON"), ("[" * 100000, "nested deeper than 64 levels"),
                            ('{"": 1}', 'unknown key ""')):
            self.write(text, "odd.json")
            ended = self.command("validate", "--config", "odd.json")
            self.assertEqual(ended.returncode, 2)
            self.assertTrue(ended.stderr.startswith(("odd.json:", "ddlbench: odd.json")), ended.stderr)
            self.assertIn(words, ended.stderr)
        (self.folder / "loop.json").symlink_to("loop.json")
        for path, words in ((".", "is a folder"), ("nowhere.json", "No such file"), ("loop.json", "symbolic links"),
                            ("x" * 300, "name too long"), ("/proc/self/mem", "cannot be read: Input/output error")):
            ended = self.command("validate", "--config", path)
            self.assertEqual(ended.returncode, 2)
            self.assertIn(words, ended.stderr)

    def test_text_after_a_nul_byte_is_not_ignored(self):
        """[F6]"""
        text = json.dumps(tiny())
        self.write(text + "\n\0, and more", "odd.json")
        ended = self.command("validate", "--config", "odd.json")
        self.assertEqual((ended.returncode, ended.stderr),
                         (2, "odd.json:2:1: not JSON: a NUL byte, which JSON text cannot contain\n"))

    def test_a_missing_path_is_reported_in_full_with_a_file_beside_the_configuration(self):
        """[N5] Relative paths start at the current folder."""
        experiments = self.folder / "experiments"
        experiments.mkdir()
        for place, value in ((("workload", "dataset"), {"kind": "text", "path": "there.txt"}),
                             (("workload", "model"), {"kind": "graph", "file": "there.txt"}),
                             (("training", "checkpoint"), {"load": "there.txt"})):
            config = tiny()
            config[place[0]][place[1]] = value
            (experiments / "odd.json").write_text(json.dumps(config))
            (experiments / "there.txt").unlink(missing_ok=True)
            for is_beside in (False, True):
                if is_beside:
                    (experiments / "there.txt").write_text("a text")
                ended = self.command("validate", "--config", "experiments/odd.json")
                self.assertEqual(ended.returncode, 2)
                self.assertIn(f"so ddlbench looked for {self.folder.resolve()}/there.txt", ended.stderr)
                named = f"there is one next to the configuration: use {self.folder.resolve()}/experiments/there.txt"
                (self.assertIn if is_beside else self.assertNotIn)(named, ended.stderr)

    def test_a_stack_limit_too_small_for_libraries_is_rejected(self):
        """[F14]"""
        ended = self.command("--config", self.write(tiny()), preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_STACK, (64 << 10, resource.getrlimit(resource.RLIMIT_STACK)[1])))
        self.assertEqual((ended.returncode, ended.stdout), (4, ""))
        self.assertIn("stacks are limited to 64 KiB here (ulimit -s), but at least 1024 KiB are needed", ended.stderr)

    def test_byte_order_marks_and_crlf_are_accepted(self):
        text = (self.folder / self.write(tiny())).read_text()
        (self.folder / "other.json").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
        self.assertEqual(self.command("validate", "--config", "other.json").returncode, 0)

    def test_a_filter_that_matches_nothing(self):
        self.assertIn("--filter nothing matches none of the 7 cases", self.rejected("--filter", "nothing"))

    def test_an_output_folder_that_cannot_be(self):
        self.write(tiny())
        for folder in ("experiment.json", "experiment.json/deeper", "/proc/nowhere", b"\xff"):
            ended = self.command("--config", "experiment.json", "--output", folder)
            self.assertEqual(ended.returncode, 2)
            self.assertIn("output", ended.stderr)


class Data(CommandTest):
    def setUp(self):
        super().setUp()
        for files, count in ((TRAINING, 96), (VALIDATION, 32)):
            self.write_split(files, count, 8)

    def write_split(self, files, count, height):
        images = struct.pack(">IIII", 0x803, count, height, 8) + bytes(i % 251 for i in range(count * height * 8))
        labels = struct.pack(">II", 0x801, count) + bytes(i % 4 for i in range(count))
        for name, content in zip(files, (images, labels)):
            (self.folder / name).write_bytes(content)

    def validate(self, *words):
        config = tiny()
        config["workload"]["dataset"] = {"kind": "idx", "path": ".", "classes": 4}
        return self.command("validate", "--config", self.write(config), *words)

    def test_whole_files_are_valid(self):
        self.assertEqual(self.validate().returncode, 0)

    def test_broken_files_are_named_with_their_numbers(self):
        images, labels = (self.folder / name for name in TRAINING)
        whole = {path: path.read_bytes() for path in (images, labels)}
        packed = gzip.compress(whole[images])

        def packed_as(content):
            images.unlink()
            (self.folder / (images.name + ".gz")).write_bytes(content)

        for damage, words in (
                (lambda: images.write_bytes(whole[images][:200]), "96 items of 64 bytes, but it ends after 184"),
                (lambda: images.write_bytes(b""), "truncated"),
                (lambda: images.unlink(), "missing, with and without .gz"),
                (lambda: (images.unlink(), os.mkfifo(images)), "is not a regular file"),
                (lambda: images.write_bytes(b"\0" + b"x" * 99), "not an idx file"),
                (lambda: labels.write_bytes(whole[labels][:-1] + b"\x09"), "label 9 of sample 95 is outside the 4"),
                (lambda: packed_as(packed[:60]), "truncated"),
                (lambda: packed_as(packed[:40] + b"XXXX" + packed[44:]), "corrupt gzip data")):
            damage()
            ended = self.validate()
            self.assertEqual(ended.returncode, 2, words)
            self.assertRegex(ended.stderr, r"^experiment\.json:\d+:\d+: /workload/dataset: .*" + words)
            for path, content in whole.items():
                path.unlink(missing_ok=True)
                path.write_bytes(content)

    def test_samples_that_are_not_there(self):
        ended = self.validate("--set", "/workload/dataset/train_samples=1000")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("has 96 samples, fewer than the 1000", ended.stderr)

    def test_values_that_no_float_holds(self):
        for setting in ("std=1e-300", "mean=1e308"):
            ended = self.validate("--set", f"/workload/dataset/{setting}")
            self.assertEqual(ended.returncode, 2)
            self.assertIn("a float cannot hold", ended.stderr)

    def test_splits_of_different_shapes(self):
        self.write_split(VALIDATION, 32, 6)
        ended = self.validate()
        self.assertEqual(ended.returncode, 2)
        self.assertIn("f32[1x8x8], but the validation samples f32[1x6x8]", ended.stderr)


if __name__ == "__main__":
    unittest.main()
