"""Checkpoints that a run writes, and runs that start from them."""

import json
import os
import resource
import shutil
import signal
import struct
import unittest

from harness import CommandTest, group_lives, tiny, wait_until

SAVE = "/training/checkpoint/save=saved"
RESUME = "/training/checkpoint/resume=true"


def load(path):
    return f"/training/checkpoint/load={path}"


def header_of(path):
    """Returns the header of a safetensors file: 8 bytes of length, JSON, then nothing but the tensors."""
    data = path.read_bytes()
    length, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    ends = [tensor["data_offsets"][1] for name, tensor in header.items() if name != "__metadata__"]
    assert len(data) == 8 + length + max(ends, default=0)
    return header


def digest_of(data):
    """Returns the 64-bit FNV-1a hash."""
    digest = 0xcbf29ce484222325
    for byte in data:
        digest = (digest ^ byte) * 0x100000001b3 % 2**64
    return f"{digest:016x}"


def with_last_value(path, value):
    """Returns the file's bytes as if its last number had been written as `value`, with the matching digest."""
    data = path.read_bytes()
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    tensors = data[begin:-4] + struct.pack("<f", value)
    return data[:begin].replace(digest_of(data[begin:]).encode(), digest_of(tensors).encode()) + tensors


def weights_within_epochs(folder):
    """Returns the complete checkpoints within epochs, by step."""
    paths = [path for path in folder.glob("*-step-*.safetensors") if not path.name.endswith(".state.safetensors")]
    return {int(path.name.removesuffix(".safetensors").rsplit("-", 1)[1]): path for path in paths}


class Checkpoints(CommandTest):
    def config(self):
        config = tiny()
        config["training"] |= {"epochs": 2, "optimizer": {"kind": "sgd", "learning_rate": 0.05, "momentum": 0.9}}
        config["strategies"] = [{"kind": "zero", "stage": 3, "ranks": 2}, {"kind": "gpipe", "ranks": 2}]
        config["measure"] |= {"steps": 1, "repetitions": 1}
        return config

    def run_to_rows(self, output, *settings, code=0):
        words = [word for setting in settings for word in ("--set", setting)]
        ended = self.command("--config", self.write(self.config()), "--output", output, *words)
        self.assertEqual(ended.returncode, code, ended.stderr)
        return self.rows(output=output), ended

    def rejected(self, *settings):
        words = [word for setting in settings for word in ("--set", setting)]
        ended = self.command("validate", "--config", self.write(self.config()), *words)
        self.assertEqual((ended.returncode, ended.stdout), (2, ""))
        self.assertEqual(ended.stderr.count("\n"), 1, ended.stderr)
        return ended.stderr

    def test_what_one_strategy_saved_another_resumes(self):
        rows, _ = self.run_to_rows("whole", SAVE)
        saved = self.folder / "saved"
        names = [f"{row['case_id']}-epoch-{epoch}{kind}.safetensors"
                 for row in rows for epoch in (1, 2) for kind in ("", ".state")]
        self.assertEqual(sorted(path.name for path in saved.iterdir()), sorted(names))
        header = header_of(saved / names[0])
        self.assertEqual(header["fc1.weight"]["shape"], [16, 16])
        self.assertEqual({name: header["__metadata__"][name] for name in ("format", "model", "epoch", "step")},
                         {"format": "pt", "model": "mlp", "epoch": "1", "step": "16"})
        self.assertEqual(header["__metadata__"]["contract_id"], rows[0]["contract_id"])
        self.assertIn("fc1.weight.momentum", header_of(saved / names[1]))

        resumed, _ = self.run_to_rows("resumed", load(f"saved/{names[0]}"), RESUME)
        self.assertEqual([row["status"] for row in resumed], ["ok", "ok"])
        self.assertEqual(resumed[0]["final_train_loss"], rows[0]["final_train_loss"])
        self.assertEqual(resumed[0]["final_validation_loss"], rows[0]["final_validation_loss"])
        self.assertAlmostEqual(float(resumed[1]["final_train_loss"]), float(rows[0]["final_train_loss"]), places=4)
        self.assertEqual([row["epoch"] for row in self.rows("epochs.csv", "resumed")], ["2", "2"])

        loaded, _ = self.run_to_rows("loaded", load(f"saved/{names[0]}"))
        shutil.copy(saved / names[0], self.folder / "copy.safetensors")
        again, _ = self.run_to_rows("again", load("copy.safetensors"))
        self.assertEqual(loaded[0]["contract_id"], again[0]["contract_id"])
        self.assertEqual(len({row["contract_id"] for row in (*rows, *resumed, *loaded, *again)}), 3)

    def test_a_killed_training_resumes_within_an_epoch_to_the_bit(self):
        transports = ["threads", "mpi"] if '"mpi"' in self.command("schema").stdout else ["threads"]
        for transport in transports:
            with self.subTest(transport):
                self.kill_and_resume(transport)

    def kill_and_resume(self, transport):
        config = self.config()
        config["workload"]["dataset"]["train_samples"] = 1600
        config["training"] |= {"epochs": 20, "checkpoint": {"save": f"{transport}-whole", "every_epochs": 20}}
        config["devices"] |= {"transport": transport, "kind": "reference", "collectives": "ring"}
        config["strategies"] = [{"kind": "zero", "stage": 2, "ranks": 2}]
        whole = self.command("--config", self.write(config), "--output", f"{transport}-out")
        self.assertEqual(whole.returncode, 0, whole.stderr)

        saved = self.folder / transport
        config["training"]["checkpoint"] |= {"save": transport, "every_steps": 7}
        run = self.start(config)
        group = wait_until(run.worker, "a worker")
        found = wait_until(lambda: weights_within_epochs(saved), "a checkpoint")
        run.process.kill()
        os.killpg(group, signal.SIGKILL)
        wait_until(lambda: not group_lives(group), "the end of the case")
        shutil.rmtree(self.folder / "out")
        step, one = max(weights_within_epochs(saved).items())
        self.assertGreaterEqual(step, max(found))
        self.assertTrue(step % 7 == 0 and 0 < step < 2000, step)

        config["training"]["checkpoint"] = {"save": f"{transport}-rest", "every_epochs": 20,
                                            "load": f"{transport}/{one.name}", "resume": True}
        rest = self.command("--config", self.write(config), "--output", f"{transport}-rest-out")
        self.assertEqual(rest.returncode, 0, rest.stderr)
        columns = ("epoch", "step", "train_loss", "validation_loss", "accuracy_ratio")
        wanted, found = ([[row[column] for column in columns] for row in self.rows("epochs.csv", f"{transport}{which}")]
                         for which in ("-out", "-rest-out"))
        self.assertEqual(found, wanted[(step - 1) // 100:])
        (last,) = (self.folder / f"{transport}-whole").glob("*-epoch-20.safetensors")
        self.assertEqual(header_of(last)["__metadata__"]["data_digest"],
                         header_of(self.folder / f"{transport}-rest" / last.name)["__metadata__"]["data_digest"])

    def test_bad_checkpoints_are_rejected_before_anything_runs(self):
        self.run_to_rows("whole", SAVE)
        one = next(path for path in (self.folder / "saved").iterdir() if path.name.endswith("-epoch-1.safetensors"))
        pointer = "--set /training/checkpoint/load="
        self.assertIn(pointer + "nowhere: nowhere: cannot be opened", self.rejected(load("nowhere")))
        self.assertIn("--set /training/checkpoint/resume=true: there is nothing to resume", self.rejected(RESUME))
        said = self.rejected(load(f"saved/{one.name}"), "/workload/model/hidden=[16,8]")
        self.assertRegex(said, pointer + r".*2 missing: \"fc3.bias\", \"fc3.weight\"; 2 of a different shape")
        self.assertIn("nothing is left to train", self.rejected(load(f"saved/{one.name}"), RESUME, "/training/epochs=1"))
        self.assertIn("was trained with seed 1", self.rejected(load(f"saved/{one.name}"), RESUME, "/training/seed=[1, 2]"))
        whole = one.read_bytes()
        one.write_bytes(whole[:-3] + bytes([whole[-3] ^ 1]) + whole[-2:])
        said = self.rejected(load(f"saved/{one.name}"))
        self.assertRegex(said, pointer + r".*its tensors were changed since they were written: their digest is [0-9a-f]{16}")
        state = one.with_name(one.name.replace(".safetensors", ".state.safetensors"))
        one.write_bytes(whole)
        state.write_bytes(state.read_bytes()[:-64] + bytes(64))
        self.assertIn("state.safetensors: its tensors were changed since they were written", self.rejected(load(f"saved/{one.name}"), RESUME))
        one.write_bytes(whole[:-4])
        self.assertIn("it was truncated", self.rejected(load(f"saved/{one.name}")))

    def test_weights_whose_names_have_a_prefix_are_loaded_without_it(self):
        self.run_to_rows("whole", SAVE)
        one = next(path for path in (self.folder / "saved").iterdir() if path.name.endswith("-epoch-1.safetensors"))
        data = one.read_bytes()
        begin = 8 + struct.unpack("<Q", data[:8])[0]
        header = {"module." + name: tensor for name, tensor in header_of(one).items() if name != "__metadata__"}
        text = json.dumps(header).encode()
        wrapped = self.folder / "wrapped.safetensors"
        wrapped.write_bytes(struct.pack("<Q", len(text)) + text + data[begin:])
        self.assertIn('set training/checkpoint/strip_prefix to "module."', self.rejected(load("wrapped.safetensors")))
        bare, _ = self.run_to_rows("bare", load(f"saved/{one.name}"))
        stripped, _ = self.run_to_rows("stripped", load("wrapped.safetensors"),
                                       "/training/checkpoint/strip_prefix=module.")
        self.assertEqual([row["final_train_loss"] for row in stripped], [row["final_train_loss"] for row in bare])

    def test_a_file_of_torch_save_is_answered_with_its_conversion(self):
        (self.folder / "model.pt").write_bytes(b"PK\x03\x04" + bytes(200))
        said = self.rejected(load("model.pt"))
        self.assertIn('safetensors.torch.save_file(torch.load("model.pt", ', said)

    def test_bad_checkpoint_folders_are_rejected_before_anything_runs(self):
        (self.folder / "saved").write_text("a file")
        self.assertIn("--set /training/checkpoint/save=saved: the folder for checkpoints, saved, cannot be created",
                      self.rejected(SAVE))
        self.assertIn("--set /training/checkpoint/save=: expected a string that is not empty", self.rejected("/training/checkpoint/save="))

    def test_checkpoints_of_another_training_stay(self):
        self.run_to_rows("whole", SAVE)
        before = {path: path.read_bytes() for path in (self.folder / "saved").iterdir()}
        said = self.rejected(SAVE, "/training/optimizer/learning_rate=0.04")
        self.assertIn("-epoch-1.safetensors is from another training", said)
        self.assertEqual({path: path.read_bytes() for path in (self.folder / "saved").iterdir()}, before)
        self.run_to_rows("again", SAVE)

    def test_a_checkpoint_with_nan_is_bad_data(self):
        self.run_to_rows("whole", SAVE)
        one = next(path for path in (self.folder / "saved").iterdir() if path.name.endswith("-epoch-1.safetensors"))
        one.write_bytes(with_last_value(one, float("nan")))
        rows, _ = self.run_to_rows("loaded", load(f"saved/{one.name}"), code=1)
        for row in rows:
            self.assertEqual(row["status"], "bad_data")
            self.assertIn("contains infinity or NaN", row["status_reason"])

    def test_a_disk_that_is_full_fails_the_case_and_leaves_nothing_half_written(self):
        def fill_the_disk():
            resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        config = self.config()
        config["workload"]["model"]["hidden"] = [2000, 16]
        config["training"]["checkpoint"] = {"save": "saved"}
        config["strategies"] = [{"kind": "zero", "stage": 3, "ranks": 2}]
        ended = self.command("--config", self.write(config), "--output", "out", preexec_fn=fill_the_disk)
        self.assertEqual(ended.returncode, 1, ended.stderr)
        (row,) = self.rows()
        self.assertEqual(row["status"], "failed")
        self.assertIn("epoch-1.safetensors: cannot be written: File too large", row["status_reason"])
        self.assertEqual(list((self.folder / "saved").iterdir()), [])
        self.assertEqual(self.rows("epochs.csv"), [])


if __name__ == "__main__":
    unittest.main()
