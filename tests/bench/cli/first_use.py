"""What a person types in the first minutes: each mistake is answered with what to type instead."""

import re
import unittest

from harness import CommandTest, tiny


class FirstUse(CommandTest):
    def refused(self, *words, **how):
        ended = self.command(*words, **how)
        self.assertEqual((ended.returncode, ended.stdout), (2, ""), ended.stderr)
        return ended.stderr

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


if __name__ == "__main__":
    unittest.main()
