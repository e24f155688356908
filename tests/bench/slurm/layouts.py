"""ddlbench slurm on a cluster: one job for each number of ranks, an array, and one allocation; their status at each stage;
errors of sbatch."""

import csv
import subprocess

import study
from study import harness


class Layouts(study.StudyTest):
    def block(self):
        """Occupies the whole cluster; returns the job."""
        job = self.cluster.submit("--nodes=2", "--exclusive", "--output=/dev/null", "--wrap", "sleep 300")
        self.cluster.wait(lambda: self.cluster.state(job) == "RUNNING", "the job that blocks the cluster")
        return job

    def test_a_job_for_each_number_of_ranks_reports_its_state_at_each_stage(self):
        blocking = self.block()
        jobs = self.submit(study.over_mpi(), "--ranks-per-node", "2")
        self.assertEqual([job["ranks"] for job in jobs], [[1], [2], [4]])
        self.cluster.wait(lambda: "Resources" in self.status()[0]["ranks-1"], "the reason why a job waits")
        states, cases = self.status()
        self.assertIn("PENDING", states["ranks-1"])
        self.assertEqual(set(cases.values()), {"ranks-1 waiting", "ranks-2 waiting", "ranks-4 waiting"})

        self.cluster.run("scancel", blocking)
        self.cluster.wait_for_end(*(job["job_id"] for job in jobs))
        states, cases = self.status()
        for name, state in states.items():
            self.assertIn("COMPLETED", state)
            self.assertTrue(state.endswith("1 ok"), state)
            self.assertTrue(cases[next(job for job in jobs if job["name"] == name)["cases"][0]].startswith(f"{name} ok "))
        self.assertTrue(cases["001-ddp-r1"].endswith("100 %"), cases)
        self.assertRegex(cases["003-ddp-r4"], r"^ranks-4 ok .* \d+ %$")
        # A step over both nodes, whose cores count together.
        log = (self.study / "ranks-4/log/003-ddp-r4.log").read_text()
        self.assertEqual([log.count(f" on {node}\n") for node in ("n0", "n1")], [2, 2], log)
        self.assertEqual(self.rows("ranks-4")[0]["oversubscribed"], "false")

    def test_an_array_runs_one_number_of_ranks_in_each_task(self):
        jobs = self.submit(study.over_mpi(), "--layout", "array", "--ranks-per-node", "2", "--simultaneous", "2")
        job = jobs[0]["job_id"].split("_")[0]
        self.assertEqual([one["job_id"] for one in jobs], [f"{job}_{task}" for task in range(3)])
        self.cluster.wait_for_end(job)
        states, cases = self.status()
        self.assertEqual(set(states), {"ranks-1", "ranks-2", "ranks-4"})
        self.assertTrue(all("COMPLETED" in state for state in states.values()), states)
        self.assertTrue(all(" ok " in case for case in cases.values()), cases)
        self.assertEqual([row["case_id"] for row in self.rows("ranks-2")], ["002-ddp-r2"])
        # Two of the jobs ran at the same time. Their folders join without loss.
        joined = self.folder / "joined"
        merged = self.cluster.run(harness.BINARY, "merge", *(self.study / f"ranks-{ranks}" for ranks in (4, 1, 2)),
                                  "--output", joined)
        self.assertIn("3 of 3 cases have ended, from 3 runs on one kind of machine", merged)
        with open(joined / "cases.csv", newline="") as file:
            self.assertEqual([(row["case_id"], row["status"]) for row in csv.DictReader(file)],
                             [("001-ddp-r1", "ok"), ("002-ddp-r2", "ok"), ("003-ddp-r4", "ok")])

    def test_one_allocation_runs_all_numbers_of_ranks_and_their_rounds(self):
        config = study.over_mpi()
        config["measure"].update(interleave=True, visit_seconds=0.01, max_seconds=100, precision=0.5)
        jobs = self.submit(config, "--layout", "allocation", "--ranks-per-node", "2")
        self.assertEqual(len(jobs), 1)
        self.cluster.wait_for_end(jobs[0]["job_id"], seconds=120)
        self.assertIn("COMPLETED", self.status()[0]["all-ranks"], self.log("all-ranks"))
        self.assertEqual([(row["ranks"], row["status"]) for row in self.rows("all-ranks")],
                         [("1", "ok"), ("2", "ok"), ("4", "ok")])
        visited = {entry["record"]["case_id"] for entry in self.journal("all-ranks") if entry["kind"] == "visit"}
        self.assertEqual(visited, set(jobs[0]["cases"]))

    def test_a_job_has_the_gpus_of_its_ranks(self):
        experiment = self.write(study.over_mpi())
        script = self.slurm("--config", experiment, "--output", self.study, "--set", "/devices/kind=cuda", "--set",
                            "/devices/ranks=[8]", "--ranks-per-node", "4", "--cpus-per-rank", "1", "--dry-run")
        self.assertFalse(self.study.exists())
        self.assertIn("#SBATCH --gres=gpu:4\n", script)
        head = [line for line in script.splitlines() if line.startswith("#SBATCH") and "--output" not in line]
        log = self.folder / "gpus.log"
        path = self.folder / "gpus.sh"
        path.write_text("\n".join(["#!/bin/bash", *head, f"#SBATCH --output={log}",
                                   "srun sh -c 'echo $SLURMD_NODENAME $SLURM_LOCALID $SLURM_GPUS_ON_NODE'", ""]))
        self.cluster.wait_for_end(self.cluster.submit(path))
        self.assertEqual(sorted(log.read_text().split("\n")[:-1]),
                         [f"n{node} {rank} 4" for node in range(2) for rank in range(4)])

    def test_an_error_is_sbatchs_own_and_submits_nothing(self):
        experiment = self.write(study.over_mpi())
        ended = subprocess.run([harness.BINARY, "slurm", "--config", experiment, "--output", self.study, "--partition",
                                "nowhere", "--submit"], env=self.cluster.environment, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("sbatch refuses", ended.stderr)
        self.assertIn("invalid partition specified: nowhere", ended.stderr)
        self.assertEqual([job["job_id"] for job in self.jobs()], [None] * 3)
        self.assertIn("not submitted", self.slurm("status", self.study))


if __name__ == "__main__":
    study.main()
