"""Batch scripts that start ddlbench by hand: alone, and with srun and mpiexec over both nodes; the allocation is compared
with what the experiment needs."""

import csv

import study
from study import harness


class OwnLaunchers(study.StudyTest):
    def batch(self, command, *options):
        """Runs a command in a job; returns the state of the job and its output."""
        experiment = self.write(study.over_mpi())
        script = self.folder / "job.sh"
        script.write_text(f"#!/bin/bash\n{command}\n".replace("DDLBENCH", f"{harness.BINARY} --config {experiment} --output {self.study}"))
        log = self.folder / "job.log"
        job = self.cluster.submit(*options, f"--output={log}", script)
        self.cluster.wait_for_end(job)
        return self.cluster.state(job), log.read_text()

    def statuses(self):
        with open(self.study / "cases.csv", newline="") as file:
            return {row["ranks"]: (row["status"], row["oversubscribed"]) for row in csv.DictReader(file)}

    def check_all_ran(self, state, output):
        self.assertEqual(state, "COMPLETED", output)
        self.assertEqual(self.statuses(), {"1": ("ok", "false"), "2": ("ok", "false"), "4": ("ok", "false")}, output)

    def test_srun_starts_the_ranks(self):
        self.check_all_ran(*self.batch("srun --mpi=pmi2 --kill-on-bad-exit=1 DDLBENCH", "--nodes=2", "--ntasks-per-node=2"))

    def test_mpiexec_starts_the_ranks(self):
        self.check_all_ran(*self.batch("mpiexec -n 4 DDLBENCH", "--nodes=2", "--ntasks-per-node=2"))

    def test_ddlbench_alone_starts_the_ranks_of_each_case_on_both_nodes(self):
        state, output = self.batch("DDLBENCH", "--nodes=2", "--ntasks-per-node=2")
        self.check_all_ran(state, output)
        self.assertNotIn("share cores", output)

    def test_the_example_for_cpu_nodes_runs(self):
        experiment, log = self.write(study.over_mpi()), self.folder / "job.log"
        job = self.cluster.submit("--cpus-per-task=1", "--ntasks-per-node=2", f"--chdir={self.folder}", f"--output={log}",
                                  f"--export=ALL,DDLBENCH={harness.BINARY}", study.ROOT / "scripts/slurm/cpu_nodes.sh", experiment)
        self.cluster.wait_for_end(job)
        self.study = self.folder / f"results/slurm-{job}"
        self.check_all_ran(self.cluster.state(job), log.read_text())

    def test_a_job_with_too_few_cores_says_what_to_ask_for(self):
        state, output = self.batch("DDLBENCH", "--nodes=1", "--ntasks=2")
        self.assertEqual(state, "COMPLETED", output)
        self.assertRegex(output, r"003-ddp-r4 has 4 ranks × 1 thread, but job \d+ has 2 cores on 1 node: they share cores")
        self.assertIn("--ntasks=4 --cpus-per-task=1", output)
        self.assertEqual(self.statuses()["4"], ("ok", "true"))


if __name__ == "__main__":
    study.main()
