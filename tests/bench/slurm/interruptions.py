"""Jobs that are cancelled, preempted or reach their time limit: what was finished remains, and the job is requeued."""

import json
import os
import re
import signal
import stat

import study
from study import harness

# Stands for a ddlbench that saves its results when it is asked to, and then ends as after a signal.
STOPS_WHEN_ASKED = """#!/bin/bash
trap 'echo "saved at USR2"; exit 140' USR2
trap 'echo "saved at TERM"; exit 143' TERM
mkdir --parents FOLDER && echo '{"kind":"plan"}' >FOLDER/journal.jsonl
echo "started with: $*"  # the test may send a signal from now on
for ((i = 0; i < 600; ++i)); do sleep 0.1; done
"""


class Interruptions(study.StudyTest):
    def test_a_cancelled_job_leaves_valid_results(self):
        jobs = self.submit(study.lasting(ranks=2))
        job = jobs[0]["job_id"]
        self.cluster.wait(lambda: any(entry["kind"] == "epoch" for entry in self.journal("ranks-2")), "the first case", 60)
        self.assertIn("1 running, 1 waiting", self.status()[0]["ranks-2"])
        self.cluster.run("scancel", job)
        self.cluster.wait_for_end(job)
        states, cases = self.status()
        self.assertIn("CANCELLED", states["ranks-2"])
        self.assertEqual({case.split()[1] for case in cases.values()} - {"interrupted", "cut", "missing", "skipped"}, set(), cases)
        report = self.cluster.run(harness.BINARY, "report", self.study / "ranks-2")
        self.assertIn("001-tensor-r2", report)

    def test_a_case_that_hangs_on_the_other_node_ends_alone(self):
        config = study.lasting(ranks=4)
        config["measure"]["timeout_seconds"] = 4
        job = self.submit(config, "--ranks-per-node", "2")[0]["job_id"]
        self.cluster.wait(lambda: any(entry["kind"] == "epoch" for entry in self.journal("ranks-4")), "the first case", 60)
        log = (self.study / "ranks-4/log/001-tensor-r4.log").read_text()
        processes = [int(process) for process in re.findall(r"^rank \d: process (\d+) on n1$", log, re.MULTILINE)]
        self.assertEqual(len(processes), 2, log)
        os.kill(processes[1], signal.SIGSTOP)

        def ends():
            return [entry["record"]["status"] for entry in self.journal("ranks-4") if entry["kind"] == "case"]
        self.cluster.wait(ends, "the end of the case", 60)
        self.assertIn(ends()[0], ("timed_out", "lost_rank"))
        self.cluster.wait(lambda: not any(os.path.exists(f"/proc/{one}") for one in processes), "the end of its ranks")
        self.cluster.wait(lambda: (self.study / "ranks-4/log/002-ddp-r4.log").exists(), "the next case")
        self.assertEqual(self.cluster.state(job), "RUNNING")
        self.assertIn("1 running", self.status()[0]["ranks-4"])
        self.cluster.run("scancel", job)
        self.cluster.wait_for_end(job)

    def test_a_node_that_lost_ranks_twice_is_avoided(self):
        config = study.lasting(ranks=2)
        config["strategies"] = ["tensor", "ddp", {"kind": "zero", "stage": 1}]
        out = self.folder / "out"
        words = f"SLURM_CPU_BIND=none exec {harness.BINARY} {self.write(config)} --output {out}"
        job = self.cluster.submit("--nodes=2", "--ntasks-per-node=2", f"--output={self.folder}/job.log", "--wrap", words)

        def ranks(case):
            """Returns the processes of a case and their nodes, once both ranks run."""
            log = out / f"log/{case}.log"
            found = re.findall(r"^rank \d: process (\d+) on (\w+)$", log.read_text() if log.exists() else "", re.MULTILINE)
            return found if len(found) == 2 else None
        for case in ["001-tensor-r2", "002-ddp-r2"]:
            processes = self.cluster.wait(lambda case=case: ranks(case), f"the ranks of {case}", 60)
            self.assertEqual({node for _, node in processes}, {"n0"}, (case, (self.folder / "job.log").read_text()))
            os.kill(int(processes[1][0]), signal.SIGKILL)
        moved = self.cluster.wait(lambda: ranks("003-zero-r2"), "the ranks of the last case", 60)
        self.assertEqual({node for _, node in moved}, {"n1"}, (self.folder / "job.log").read_text())
        journal = [json.loads(line) for line in (out / "journal.jsonl").read_text().splitlines()]
        reasons = [entry["record"]["status_reason"] for entry in journal if entry["kind"] == "case"]
        self.assertNotIn("avoid", reasons[0])
        self.assertIn("this is the second loss on n0, which further cases avoid", reasons[1])
        self.cluster.run("scancel", job)
        self.cluster.wait_for_end(job)

    def submit_fake(self, *options):
        """Submits a study whose ddlbench is STOPS_WHEN_ASKED; returns its job."""
        self.slurm("--config", self.write(study.over_mpi(ranks=1)), "--output", self.study, "--time", "10")
        fake = self.folder / "ddlbench"
        fake.write_text(STOPS_WHEN_ASKED.replace("FOLDER", str(self.study / "ranks-1")))
        fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
        script = self.study / "slurm/ranks-1.sh"
        script.write_text(script.read_text().replace(f"ddlbench={os.path.realpath(harness.BINARY)}", f"ddlbench={fake}"))
        job = self.cluster.submit(*options, script)
        self.wait_for_start(1)
        return job

    def wait_for_start(self, number):
        log = self.study / "slurm/ranks-1.log"
        self.cluster.wait(lambda: log.exists() and log.read_text().count("started with:") == number, f"start {number}")

    def test_a_job_is_requeued_after_three_time_outs_and_not_after_the_fourth(self):
        job = self.submit_fake()
        for start in range(1, 5):
            self.cluster.run("scancel", "--batch", "--signal=USR2", job)  # as --signal does near the time limit
            if start < 4:
                self.cluster.wait(lambda: self.cluster.state(job) == "PENDING", "a requeued job")
                self.wait_for_start(start + 1)
        self.cluster.wait(lambda: self.cluster.state(job) == "FAILED", "the end of the job")
        log = self.log("ranks-1")
        self.assertEqual(log.count("requeued after time-out"), 3, log)
        self.assertEqual(log.count("started with: --config"), 1, log)
        self.assertEqual(log.count(f"started with: --resume {self.study / 'ranks-1'}"), 3, log)
        self.assertIn("not requeued: time-out number 4", log)

    def test_a_requeued_job_continues_its_run(self):
        config = study.lasting(ranks=2)
        config["training"]["epochs"] = 200  # the signal arrives seconds after the first one on a busy machine
        config["workload"]["dataset"]["train_samples"] = 4000
        job = self.submit(config)[0]["job_id"]
        self.cluster.wait(lambda: any(entry["kind"] == "epoch" for entry in self.journal("ranks-2")), "an epoch", 60)
        self.cluster.run("scancel", "--batch", "--signal=USR2", job)
        self.cluster.wait(lambda: "requeued after time-out" in self.log("ranks-2"), "a requeue", 60)
        self.cluster.wait_for_end(job, seconds=120)
        self.assertIn("resuming ", self.log("ranks-2"))
        rows = self.rows("ranks-2")
        self.assertEqual([row["status"] for row in rows], ["ok", "ok"], self.log("ranks-2"))
        self.assertEqual(sorted(row["attempts"] for row in rows), ["1", "2"], self.log("ranks-2"))

    def test_a_preempted_job_is_requeued_and_that_is_no_time_out(self):
        job = self.submit_fake("--partition=main")
        urgent = self.cluster.submit("--partition=urgent", "--nodes=2", "--exclusive", "--output=/dev/null", "--wrap", "true")
        self.cluster.wait(lambda: self.cluster.state(urgent) == "COMPLETED", "the job that preempts", 60)
        self.wait_for_start(2)
        log = self.log("ranks-1")
        self.assertEqual(log.count("requeued after preemption"), 1, log)
        self.assertFalse((self.study / "slurm/ranks-1.timeouts").exists())
        self.cluster.run("scancel", job)
        self.cluster.wait(lambda: self.cluster.state(job) == "CANCELLED", "the end of the job")
        self.assertEqual(self.log("ranks-1").count("requeued"), 1)


if __name__ == "__main__":
    study.main()
