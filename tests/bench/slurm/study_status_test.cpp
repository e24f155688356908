#include "bench/slurm/study_status.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "../record_fixtures.h"
#include "base/error.h"
#include "bench/records/file.h"
#include "bench/records/store.h"
#include "bench/slurm/submit.h"
#include "catch.h"
#include "environment_variable.h"
#include "failure.h"
#include "temporary_folder.h"
#include "written_program.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

JobList listed_jobs() {
  return {"x",
          {{"ranks-1", {1}, {"001-single-r1"}, "/x/ranks-1.sh", "11"},
           {"ranks-2", {2}, {"002-ddp-r2", "003-gpipe-r2", "004-tensor-r2"}, "/x/ranks-2.sh", "12"}}};
}

CaseRecord finished_after(const std::string& id, const std::string& strategy, int ranks, double milliseconds) {
  CaseRecord record = test::finished_case(strategy, ranks, milliseconds, 0);
  record.case_id = id;
  return record;
}

/// Writes the journals of a study in which the second case of ranks-2 has begun.
void write_results(const std::string& study) {
  RecordStore first(create_output_folder(study + "/ranks-1", "x"), "{}");
  first.begin_case("001-single-r1");
  first.add(finished_after("001-single-r1", "single", 1, 8));
  RecordStore second(create_output_folder(study + "/ranks-2", "x"), "{}");
  second.begin_case("002-ddp-r2");
  second.add(finished_after("002-ddp-r2", "ddp", 2, 5));
  second.begin_case("003-gpipe-r2");
}

JobState in_state(const std::string& name) {
  return {name, "", "0:07", "n0", {}};
}

std::vector<std::string> states_of(const JobStatus& job) {
  std::vector<std::string> states;
  for (const CaseStatus& one : job.cases) states.push_back(one.state);
  return states;
}

using States = std::vector<std::string>;

}  // namespace

TEST_CASE("the list of jobs survives its file") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "slurm");
  JobList list = listed_jobs();
  list.jobs[1].id = "";
  write_jobs(folder.path(), list);
  const JobList read = read_jobs(folder.path());
  REQUIRE(read.jobs.size() == 2);
  CHECK(read.jobs[0].id == "11");
  CHECK(read.jobs[1].id.empty());
  CHECK(read.jobs[1].case_ids == list.jobs[1].case_ids);
  test::check_says(test::failure_of<InputError>([] { read_jobs("/nowhere"); }),
                   "/nowhere/slurm/jobs.json: there is no such file");
}

TEST_CASE("a study without submitted jobs is written again, one with them is not") {
  const test::TemporaryFolder folder;
  const BatchScript script{"ranks-1", {{"ranks-1", {1}, "", {"001-single-r1"}, {}}}, "#!/bin/sh\n"};
  write_study(folder.path(), "x", "{}", {script});
  write_study(folder.path(), "x", "{}", {script});
  JobList list = read_jobs(folder.path());
  list.jobs[0].id = "11";
  write_jobs(folder.path(), list);
  test::check_says(test::failure_of<InputError>([&] { write_study(folder.path(), "x", "{}", {script}); }),
                   "a job was submitted from there (11)");
}

TEST_CASE("after an error of sbatch, the scripts that are left are submitted, unless they would change") {
  const test::TemporaryFolder folder;
  std::vector<BatchScript> scripts;
  for (const std::string name : {"ranks-1", "ranks-2", "ranks-4"})
    scripts.push_back({name, {{name, {1}, "", {"001-" + name}, {}}}, "#!/bin/sh\n"});
  const auto submit_all = [&](const std::string& sbatch) {
    test::write_program(folder / "sbatch", sbatch);
    const test::EnvironmentVariable path("PATH", folder.path() + ":" + std::getenv("PATH"));
    std::ostringstream notes;
    submit_study(folder.path(), notes);
    return notes.str();
  };
  write_study(folder.path(), "x", "{}", scripts);
  test::check_says(
      test::failure_of<InputError>([&] {
        submit_all(R"(case $2 in *4.sh) echo "sbatch: error: too many jobs" >&2; exit 1;; esac; basename "$2")");
      }),
      "too many jobs");
  write_study(folder.path(), "x", "{}", scripts);
  const std::string notes = submit_all("echo 14");
  test::check_says(notes, "slurm/ranks-1.sh was submitted before, as job ranks-1.sh\n");
  test::check_says(notes, "slurm/ranks-4.sh as job 14\n");
  std::vector<std::string> ids;
  for (const ListedJob& job : read_jobs(folder.path()).jobs) ids.push_back(job.id);
  CHECK(ids == std::vector<std::string>{"ranks-1.sh", "ranks-2.sh", "14"});

  JobList list = read_jobs(folder.path());
  list.jobs[2].id = "";
  write_jobs(folder.path(), list);
  scripts[2].text += "true\n";
  test::check_says(
      test::failure_of<InputError>([&] { write_study(folder.path(), "x", "{}", scripts); }),
      "jobs were submitted from there (ranks-1.sh, ranks-2.sh), and the scripts of the others would change");
}

TEST_CASE("without sbatch, the error says where to run") {
  const test::TemporaryFolder folder;
  write_study(folder.path(), "x", "{}", {{"ranks-1", {{"ranks-1", {1}, "", {"001-single-r1"}, {}}}, "#!/bin/sh\n"}});
  const test::EnvironmentVariable path("PATH", folder.path());
  std::ostringstream notes;
  test::check_says(test::failure_of<InputError>([&] { submit_study(folder.path(), notes); }),
                   "sbatch is not in PATH: run this on a machine of the cluster");
}

TEST_CASE("a case's state follows from the journal and from its job") {
  const test::TemporaryFolder folder;
  write_results(folder.path());
  const auto states = [&](const std::string& job_state) {
    return states_of(study_status(folder.path(), listed_jobs(), {{"12", in_state(job_state)}})[1]);
  };
  CHECK(states("RUNNING") == States{"ok", "running", "waiting"});
  CHECK(states("PENDING") == States{"ok", "waiting", "waiting"});
  CHECK(states("TIMEOUT") == States{"ok", "cut off", "missing"});
  CHECK(states("NEW_IN_2030") == States{"ok", "cut off", "missing"});
  CHECK(states_of(study_status(folder.path(), listed_jobs(), {})[1]) == States{"ok", "cut off", "missing"});
}

TEST_CASE("a case that a requeued job runs again is waiting while the job can run") {
  const test::TemporaryFolder folder;
  {
    RecordStore store(create_output_folder(folder / "ranks-2", "x"), "{}");
    for (const auto& [id, status] : {std::pair{"002-ddp-r2", Status::timed_out},
                                     {"003-gpipe-r2", Status::interrupted},
                                     {"004-tensor-r2", Status::skipped}}) {
      CaseRecord record = finished_after(id, "ddp", 2, 5);
      record.status = status;
      record.measurement.reset();
      store.begin_case(id);
      store.add(record);
    }
  }
  const auto states = [&](const std::string& job_state) {
    return states_of(study_status(folder.path(), listed_jobs(), {{"12", in_state(job_state)}})[1]);
  };
  CHECK(states("PENDING") == States{"timed_out", "waiting", "waiting"});
  CHECK(states("RUNNING") == States{"timed_out", "waiting", "waiting"});
  CHECK(states("TIMEOUT") == States{"timed_out", "interrupted", "skipped"});
}

TEST_CASE("efficiency compares with the one-rank case of another job") {
  const test::TemporaryFolder folder;
  write_results(folder.path());
  const auto jobs = study_status(folder.path(), listed_jobs(), {});
  CHECK(jobs[0].cases[0].efficiency_ratio == Approx(1));
  CHECK(jobs[1].cases[0].efficiency_ratio == Approx(0.8));
  CHECK_FALSE(jobs[1].cases[1].efficiency_ratio.has_value());
}

TEST_CASE("once a job has planned its cases, these are its cases") {
  const test::TemporaryFolder folder;
  {
    RecordStore store(create_output_folder(folder / "ranks-2", "x"), "{}");
    store.plan({{"003-gpipe-r2", "c"}, {"004-tensor-r2", "c"}}, RunKind{});
    store.begin_case("003-gpipe-r2");
  }
  const auto jobs = study_status(folder.path(), listed_jobs(), {});
  REQUIRE(jobs[1].cases.size() == 2);
  CHECK(jobs[1].cases[0].id == "003-gpipe-r2");
  CHECK(states_of(jobs[1]) == States{"cut off", "missing"});
}

TEST_CASE("a damaged journal is reported, and its cases are missing") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "ranks-1");
  write_file_atomically(folder / "ranks-1/journal.jsonl", "{}\n{}\n");
  const auto jobs = study_status(folder.path(), listed_jobs(), {});
  CHECK_FALSE(jobs[0].note.empty());
  CHECK(jobs[0].cases[0].state == "missing");
}

TEST_CASE("the states of jobs and cases are two tables") {
  const test::TemporaryFolder folder;
  write_results(folder.path());
  JobState pending = in_state("PENDING");
  pending.reason = "Resources";
  JobState done = in_state("COMPLETED");
  done.cpu_efficiency_ratio = 0.5;
  CHECK(format_status(study_status(folder.path(), listed_jobs(), {{"11", done}, {"12", pending}})) ==
        "job  results  ranks  state      nodes               time  cores used  cases\n"
        "11   ranks-1  1      COMPLETED  n0                  0:07        50 %  1 ok\n"
        "12   ranks-2  2      PENDING    pending: Resources  0:07              1 ok, 2 waiting\n"
        "\n"
        "case           results  state       step  efficiency\n"
        "001-single-r1  ranks-1  ok       8.00 ms       100 %\n"
        "002-ddp-r2     ranks-2  ok       5.00 ms        80 %\n"
        "003-gpipe-r2   ranks-2  waiting\n"
        "004-tensor-r2  ranks-2  waiting\n");
}
