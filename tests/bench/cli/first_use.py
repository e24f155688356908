"""What a person types in the first minutes: each mistake is answered with what to type instead."""

import json
import re
import subprocess
import unittest

from harness import BINARY, CommandTest, tiny


class FirstUse(CommandTest):
    def refused(self, *words, **how):
        ended = self.command(*words, **how)
        self.assertEqual((ended.returncode, ended.stdout), (2, ""), ended.stderr)
        return ended.stderr

    def test_the_first_word_is_the_experiment(self):
        self.write(tiny(), "mine.json")
        ended = self.command("mine.json", "--output", "out", "--filter", "single")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(self.statuses(), ["ok"])
        for subcommand in ("validate", "plan", "profile"):
            ended = self.command(subcommand, "mine.json", *(["--filter", "single"] if subcommand != "validate" else []))
            self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("cannot be opened", self.refused("other.json"))
        self.assertIn("write it after the subcommand: ddlbench plan mine.json", self.refused("mine.json", "plan"))
        self.assertIn("two experiments are named", self.refused("mine.json", "--config", "mine.json"))

    def test_an_unknown_word_lists_the_subcommands_and_suggests_one(self):
        said = self.refused("verfy")
        self.assertIn("neither a subcommand nor a file 'verfy' (did you mean 'verify'?); the subcommands are run, verify, "
                      "validate, plan, profile, ", said)
        self.assertNotIn("worker", said)
        self.assertNotIn("did you mean", self.refused("something"))
        self.write(tiny(), "mine.json")
        self.assertIn("(did you mean 'mine.json'?)", self.refused("mine"))
        self.assertIn("name its JSON file", self.refused())

    def test_numbers_out_of_range_are_answered_with_the_range(self):
        config = self.write(tiny())
        for word in ("0", "-1", "x", "1.5", ""):
            self.assertIn(f'--max-failures: expected an integer from 1 to 10000; found "{word}"\n',
                          self.refused("--config", config, "--max-failures", word))
        self.assertIn('--steps: expected an integer from 1 to 10000; found "0"',
                      self.refused("trace", "--config", config, "--output", "out", "--steps", "0"))
        self.assertIn("expected a number greater than 0", self.refused("plan", "--config", config, "--roofline", "1e12,0"))
        self.assertIn("1 to 10000", self.command("--help").stdout)

    def test_standard_input_is_an_experiment(self):
        for words in (["--config", "-"], ["-"]):
            ended = self.command("validate", *words, input=json.dumps(tiny()))
            self.assertEqual((ended.returncode, ended.stdout),
                             (0, "standard input: valid: 7 cases of 4 strategies\n"), ended.stderr)
        ended = self.command("-", "--output", "out", "--filter", "single", input=json.dumps(tiny()))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(set(self.statuses()), {"ok"})
        self.assertIn("standard input:1:2: /nam: ", self.refused("validate", "-", input='{"nam": 1}'))
        self.assertIn("standard input is empty", self.refused("-", input=""))
        with open(self.folder / self.write(tiny())) as file:
            self.assertEqual(self.command("validate", "-", stdin=file).returncode, 0)

    def test_a_wrong_value_of_set_is_named_as_it_was_written(self):
        config = self.write(tiny())
        self.assertEqual(self.refused("--config", config, "--set", "/training/epochs=x"),
                         '--set /training/epochs=x: expected an integer from 1 to 100000; found the string "x"\n')
        self.assertRegex(self.refused("--config", config, "--set", "/workload/dataset/shape=0x28"),
                         r"^experiment\.json:\d+:\d+: /workload/dataset: .*"
                         r" \(changed by --set /workload/dataset/shape=0x28\)\n$")

    def test_case_ids_hold_what_varies_and_filters_match_it(self):
        config = tiny()
        config["workload"]["global_batch"] = [16, 32]
        config["training"]["seed"] = [1, 2]
        config["strategies"] = ["ddp"]
        ended = self.command("--config", self.write(config), "--dry-run", "--filter", "r2-b32")
        self.assertEqual(re.findall(r"^\d\S+", ended.stdout, re.MULTILINE), ["007-ddp-r2-b32-s1", "008-ddp-r2-b32-s2"])

    def expected_time(self, *words):
        ended = self.command(*words, "--config", "experiment.json", "--dry-run")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout.splitlines()[-1]

    def test_a_dry_run_tells_the_time_to_expect_and_why(self):
        self.write(tiny())
        cache = {"env": {"PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(self.folder / "cache")}}
        self.command = lambda *words, **how: CommandTest.command(self, *words, **(cache | how))
        self.assertRegex(self.expected_time(),
                         r"^Expected time: at least \d+ s: counted FLOPs at the peak that this machine reaches now, \S+ GFLOP/s")
        self.assertEqual(self.command("profile", "--config", "experiment.json").returncode, 0)
        self.assertRegex(self.expected_time(), r"^Expected time: about \d+ s: the profile of the operators")
        self.assertRegex(self.expected_time("verify"), r"^Expected time: about \d+ s: the profile")
        self.assertRegex(self.expected_time("--set", "/measure/interleave=true", "--set", "/measure/max_seconds=90"),
                         r"^Expected time: about \d+ s, then at most 1:30 min of rounds: the profile")
        self.assertEqual(self.command("--config", "experiment.json").returncode, 0)
        folder, = (self.folder / "results").iterdir()
        self.assertRegex(self.expected_time(),
                         rf"^Expected time: about \d+ s: these cases took that long in results/{folder.name}\.")
        self.assertRegex(self.expected_time("--set", "/training/epochs=2"), ": the profile of")
        self.assertEqual(self.expected_time("--filter", "gpipe-r1", "--set", "/strategies/3/microbatches=3",
                                            "--set", "/strategies/3/expect=unsupported"),
                         "Expected time: none, because no case can run.")

    def test_quiet_is_silent_under_a_launcher_of_ones_own(self):
        words = ["mpiexec", "-n", "2", BINARY, "--config", self.write(tiny()), "--filter", "r2", "--output", "out"]
        try:
            ended = subprocess.run([*words, "--quiet"], capture_output=True, text=True, timeout=120, cwd=self.folder)
        except FileNotFoundError:
            self.skipTest("there is no mpiexec")
        if "no transport mpi" in ended.stderr:
            self.skipTest("this build has no MPI")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertIn("003-ddp-r2", ended.stdout)


if __name__ == "__main__":
    unittest.main()
