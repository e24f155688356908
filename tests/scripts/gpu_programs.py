"""Tests what scripts/gpu_check starts: test programs, sanitizers, experiments, PyTorch, and the libraries that they
need.

usage: gpu_programs.py DDLBENCH
"""

import json
import os
import re
import sys
import unittest
from unittest import mock

from gpu_fixtures import CATCH, InAFolder, plant

import catch
import checks
import experiments
import figures
import libraries
import machine
import processes
import programs
import speed


class Programs(InAFolder):
    def test_every_case_is_run_by_itself(self):
        for last, words in [("exit 0", "run: 3 cases passed"), ("exit 77", "run: 3 cases passed"),
                            ("kill -9 $$", "failed: 1 of 3 cases: last, of [three] ended with -9"),
                            ("echo No tests ran", "failed: 1 of 3 cases: last, of [three] ended with 0")]:
            plant(self.folder / "tests" / "made_up", CATCH.format(last=last))
            self.assertEqual(figures.words(programs.Tests("made_up").run(self.context)), words)
        self.assertEqual(programs.Tests("made_up").rehearse(self.context), "3 cases of made_up")

    def test_a_case_that_processes_every_op_runs_in_parts(self):
        seen = self.folder / "seen"
        plant(self.folder / "tests" / "made_up", f"""#!/bin/sh
case "$*" in
  '--list-test-names-only [ops]') echo every op ;;
  --list-test-names-only) printf 'other\\nevery op\\n' ;;
  'every op') echo "$DDLBENCH_TEST_OPS" >> {seen}; [ "$DDLBENCH_TEST_OPS" != 'linear.*' ] ;;
  other) echo "none$DDLBENCH_TEST_OPS" >> {seen} ;;
esac
""")
        self.assertEqual(figures.words(programs.Tests("made_up").run(self.context)),
                         "failed: 1 of 2 cases: every op (linear) ended with 1")
        self.assertEqual(sorted(seen.read_text().splitlines()), sorted([*catch.PARTS.values(), "none"]))
        for op in ("conv2d_backward_input", "linear_cross_entropy", "linear", "add"):
            self.assertEqual(sum(re.fullmatch(part, op) is not None for part in catch.PARTS.values()), 1, op)

    def test_a_timeout_reports_what_was_learned(self):
        plant(self.folder / "tests" / "made_up", CATCH.format(last="sleep 9"))
        self.context.runner.begin(1)
        with self.assertRaises(processes.OutOfTime) as late:
            programs.Tests("made_up").run(self.context)
        self.assertEqual((str(late.exception), late.exception.figure), ("made_up: last, of [three]", "2 of 3 passed; failed: none"))

    def test_programs_without_gpu_run_in_a_rehearsal(self):
        plant(self.folder / "tests" / "made_up", CATCH.format(last="exit 0"))
        self.assertRaisesRegex(ValueError, "ended with 1", programs.Tests("made_up", needs_gpu=False).rehearse, self.context)
        plant(self.folder / "tests" / "made_up", CATCH.format(last="exit 0").replace("'') exit 1", "'') exit 0"))
        self.assertEqual(programs.Tests("made_up", needs_gpu=False).rehearse(self.context),
                         "made_up, which needs no GPU and ran: 3 cases passed")

    def test_a_program_that_does_not_start_is_named(self):
        plant(self.folder / "tests" / "made_up", "#!/bin/sh\necho error while loading shared libraries: libx.so\n")
        self.assertRaisesRegex(ValueError, "made_up does not start.*libx.so", programs.Tests("made_up").rehearse, self.context)
        self.assertRaisesRegex(ValueError, "no tests/other", programs.Tests("other").rehearse, self.context)

    def sanitized(self, script):
        plant(self.folder / "bin" / "compute-sanitizer", f"#!/bin/sh\n{script}")
        plant(self.folder / "tests" / "test_kernels_gpu", CATCH.format(last="exit 0"))
        return programs.Sanitizer("memcheck").run(self.context)

    def test_provoked_errors_of_calls_are_not_memory_errors(self):
        provoked = "echo '========= ERROR SUMMARY: 3 errors'; exit 9"
        result = self.sanitized(f'case "$*" in *"--report-api-errors no"*) echo "All tests passed; ========= ERROR SUMMARY: 0 errors" ;; '
                                f'*) {provoked} ;; esac\n')
        self.assertEqual(result["state"], figures.RUN, result)
        self.assertIn("3 errors", self.sanitized(provoked)["reason"])
        self.assertIn("without a summary", self.sanitized("echo it never came up")["reason"])
        unused = "echo '= Error: Target application terminated before first instrumented API call'; exit 255"
        self.assertIn("it ended with 1:", self.sanitized("echo 'test cases: 1 | 1 failed'; echo '= ERROR SUMMARY: 0 errors'; exit 1")["reason"])
        self.assertIn("without a summary", self.sanitized(unused)["reason"])
        result = self.sanitized(f"echo All tests passed; {unused}")
        self.assertEqual(result["figure"], "no errors in 3 cases that passed")
        self.assertIn("1 errors", self.sanitized("echo '= RACECHECK SUMMARY: 1 hazard displayed (1 error)'; exit 9")["reason"])
        with mock.patch.object(programs.shutil, "which", return_value=None):
            self.assertEqual(programs.Sanitizer("memcheck").run(self.context)["state"], figures.NOT_RUN)

    def test_shares_of_the_memory(self):
        found = {"cuda/add/real_time": {"GB/s": 3800.0, "MB": 1.0}, "cuda/slice (copy)/real_time": {"GB/s": 2000.0, "MB": 2.0}}
        with mock.patch.object(programs, "benchmarks", return_value=found), \
                mock.patch.object(machine, "memory_bytes_per_second", return_value=4e12):
            result = programs.bandwidth(self.context)
        self.assertEqual(result["figure"], "1 of 2 kernels reach 0.85 of 4 TB/s; least 0.50: slice (copy)")

    def test_launch_overhead(self):
        found = {"steady_step/cuda/graph/real_time": {"real_time": 1500.0, "time_unit": "us"},
                 "steady_step/cuda/ops/real_time": {"real_time": 3.0, "time_unit": "ms"}}
        with mock.patch.object(programs, "benchmarks", return_value=found):
            self.assertEqual(programs.launch(self.context)["figure"], "1.5e+03 µs with, 3e+03 µs without")


class Rehearsal(InAFolder):
    def test_ddlbench_accepts_every_experiment(self):
        plant(self.folder / "ddlbench", f'#!/bin/sh\nexec "{DDLBENCH}" "$@"\n')
        for check in checks.CHECKS:
            if isinstance(check.work, (experiments.Experiments, experiments.Config)):
                self.assertRegex(check.work.rehearse(self.context), "^[0-9]+ case|^nothing: there is no", check.id)
        with mock.patch.object(speed, "torch_python", return_value=(None, "")):
            words = speed.Speed("gpt2-small", "bf16").rehearse(self.context)
        self.assertEqual(words, "1 case of gpt2-small beside PyTorch, which no Python here has")

    def test_an_experiment_that_ddlbench_rejects_fails(self):
        plant(self.folder / "ddlbench", f'#!/bin/sh\nexec "{DDLBENCH}" "$@"\n')
        wrong = experiments.experiment("wrong", {**experiments.LENET, "model": "letnet"}, ["ddp"], 2, "threads")
        self.assertRaisesRegex(ValueError, "letnet", experiments.Experiments([wrong]).rehearse, self.context)


class Traces(InAFolder):
    def test_nodes_of_a_kind_are_added_up(self):
        events = [{"ph": "M", "name": "process_name"}, {"ph": "X", "name": "layer1.0.conv2", "dur": 1500.0},
                  {"ph": "X", "name": "input", "cat": "input", "dur": 9000.0}, {"ph": "X", "name": "loss", "dur": 2000.0}, {"ph": "X", "name": "layer4.2.conv1", "dur": 1250.0}]
        plant(self.folder / "trace" / "001-single-r1.json", json.dumps({"traceEvents": events}))
        self.assertEqual(list(experiments.parts_of_step(self.folder).items()), [("layer*.*.conv*", 2.75), ("loss", 2.0)])


# A step takes 0.1 s in ddlbench and 0.2 s in eager PyTorch. PyTorch does not compile.
RECORDS = """#!/bin/sh
mkdir -p "$6"
printf 'status,transport,ranks,step_seconds,case_resident_peak_bytes,peak_memory_bytes\\nok,threads,1,0.1,1,1\\n' >"$6/cases.csv"
printf 'role,flops_per_step\\nevery rank,1\\n' >"$6/ranks.csv"
"""
TORCH = """#!/bin/sh
case "$*" in *'"compiled": true'*) exit 3 ;; esac
echo some warning
echo '{"torch": "9.0", "step_seconds": 0.2}'
while read -r seconds; do echo '{"step_seconds": 0.2, "steps": 3, "loss": 1.0}'; done
"""


class Speed(InAFolder):
    def test_rounds_are_paired_and_a_side_that_fails_is_named(self):
        plant(self.folder / "ddlbench", RECORDS)
        plant(self.folder / "bin" / "python", TORCH)
        with mock.patch.object(speed, "torch_python", return_value=(str(self.folder / "bin" / "python"), "9.0")):
            result = speed.Speed("resnet50", "bf16").run(self.context)
        self.assertEqual(result["figure"], "2,560 images/s; 2.00 (2.00–2.00) of eager's; compile: PyTorch compile ended with 3 "
                         "(see the log); 9 rounds, PyTorch 9.0")
        config = json.loads((self.folder / "speed" / "resnet50-bf16-1x1-threads.json").read_text(encoding="utf-8"))
        self.assertEqual((config["devices"]["kind"], config["workload"]["global_batch"]), ("cuda", 256))

    def test_without_anything_to_compare_with_it_fails(self):
        plant(self.folder / "ddlbench", RECORDS)
        with mock.patch.object(speed, "torch_python", return_value=("/bin/false", "9.0")):
            result = speed.Speed("resnet50", "bf16").run(self.context)
        self.assertEqual(result["state"], figures.FAILED)
        self.assertIn("2,560 images/s, but nothing to compare with: eager: PyTorch eager ended with 1", result["reason"])

    def test_without_torch(self):
        with mock.patch.object(speed, "torch_python", return_value=(None, "")):
            self.assertEqual(speed.Speed("resnet50", "bf16").run(self.context)["state"], figures.NOT_RUN)


class Libraries(InAFolder):
    def setUp(self):
        super().setUp()
        (self.folder / "packed.json").write_text('{"cuda": "13.0", "glibc": "2.34"}', encoding="utf-8")
        self.sites = self.folder / "lib" / "site-packages"
        self.cudnn = self.sites / "nvidia" / "cudnn" / "lib" / "libcudnn.so.9"
        plant(self.cudnn, "")

    def find(self, version="9.19.0"):
        cudnn = next(one for one in libraries.wanted(libraries.packed(self.folder)) if one.name == "cuDNN")
        answer = mock.Mock(side_effect=version) if isinstance(version, Exception) else mock.Mock(return_value=version)
        elsewhere = {"LD_LIBRARY_PATH": "", "CUDA_HOME": str(self.folder), "CUDA_PATH": ""}
        with mock.patch.object(libraries.Library, "version_of", lambda _, path: answer(path)), \
                mock.patch.object(libraries, "SYSTEM", [""]), mock.patch.object(libraries, "TOOLKIT", "/nowhere"), \
                mock.patch.object(sys, "path", [str(self.sites)]), mock.patch.dict(os.environ, elsewhere):
            return libraries.find(self.folder, cudnn)

    def test_wheels_come_before_the_system(self):
        found = self.find()
        self.assertEqual(found.line(), f"cuDNN 9.19.0: Python's packages, {self.cudnn}")
        plant(self.folder / "build" / "ddlbench", "#!/bin/sh\n")
        with mock.patch.dict(os.environ, {"LD_LIBRARY_PATH": "/there"}):
            self.assertEqual(libraries.folders(self.folder, [found]), f"{self.folder}/lib:{self.cudnn.parent}:/there")

    def test_the_archives_cpp_runtime_is_used_only_if_needed(self):
        plant(self.folder / "build" / "ddlbench", "#!/bin/sh\necho 'libstdc++.so.6: GLIBCXX_3.4.30 not found' >&2\nexit 1\n")
        with mock.patch.dict(os.environ, {"LD_LIBRARY_PATH": ""}):
            self.assertEqual(libraries.folders(self.folder, []), f"{self.folder}/lib/compiler:{self.folder}/lib")

    def test_missing_or_old_libraries_are_reported_with_a_remedy(self):
        self.assertRegex(self.find("9.1.0").line(), "cannot be used: it is 9.1.0, but 9.8 is needed; python3 -m pip install")
        self.assertRegex(self.find(OSError("wrong ELF class")).line(), "cannot be used: wrong ELF class")
        self.cudnn.unlink()
        found = self.find(OSError("not found"))
        self.assertFalse(found.usable)
        self.assertRegex(found.line(), r"^cuDNN: missing \(libcudnn.so.9\); python3 -m pip install nvidia-cudnn-cu13")

    def test_versions_and_packages_by_the_toolkit(self):
        self.assertEqual([libraries.dotted(91900, 10000, 100), libraries.dotted(13000, 1000, 10, parts=2)], ["9.19.0", "13.0"])
        files = {one.file: one.remedy for one in libraries.wanted({"cuda": "12.0"})}
        self.assertIn("pip install nvidia-cublas-cu12", files["libcublasLt.so.12"])


if __name__ == "__main__":
    DDLBENCH = sys.argv.pop(1)
    unittest.main()
