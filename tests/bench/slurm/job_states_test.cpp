#include "bench/slurm/job_states.h"

#include "bench/slurm/captured_command.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("squeue's lines are states by job") {
  const JobStates states = parse_squeue(
      "12|PENDING|Resources|0:00|\n"
      "13_1|RUNNING|None|1-02:03:04|n[0-1]\n"
      "14|COMPLETED|None|0:07|n0\n"
      "15|PENDING|(null)|0:00|(null)\n"
      "slurm_load_jobs error: Unable to contact slurm controller\n");
  REQUIRE(states.size() == 4);
  CHECK(states.at("12").is_waiting());
  CHECK(states.at("12").reason == "Resources");
  CHECK(states.at("12").nodes.empty());
  CHECK(states.at("13_1").is_running());
  CHECK(states.at("13_1").reason.empty());
  CHECK(states.at("13_1").nodes == "n[0-1]");
  CHECK(states.at("13_1").elapsed == "1-02:03:04");
  CHECK(states.at("14").has_ended());
  CHECK(states.at("15").reason.empty());
}

TEST_CASE("sacct's lines are states by job, with the share of the cores' time that was used") {
  const JobStates states = parse_sacct(
      "12|COMPLETED|100|4|00:05:00|00:01:40|n0\n"
      "12.batch|COMPLETED|100|4|00:00:00|00:01:40|n0\n"
      "13_1|CANCELLED by 1000|0|0|00:00:00|00:00:00|None assigned\n"
      "14|TIMEOUT|60|2|01:00.500|00:01:00|n[0-1]\n");
  REQUIRE(states.size() == 3);
  CHECK(states.at("12").name == "COMPLETED");
  CHECK(states.at("12").cpu_efficiency_ratio == Approx(0.75));
  CHECK(states.at("13_1").name == "CANCELLED");
  CHECK(states.at("13_1").nodes.empty());
  CHECK_FALSE(states.at("13_1").cpu_efficiency_ratio.has_value());
  CHECK(states.at("14").cpu_efficiency_ratio == Approx(60.5 / 120));
}

TEST_CASE("a state that is not known counts as ended") {
  for (const char* name :
       {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "PREEMPTED", "OUT_OF_MEMORY", "NEW_IN_2030", ""}) {
    CAPTURE(name);
    CHECK(JobState{name, "", "", "", {}}.has_ended());
  }
  for (const char* name : {"PENDING", "REQUEUED", "RUNNING", "COMPLETING", "SUSPENDED"}) {
    CAPTURE(name);
    CHECK_FALSE(JobState{name, "", "", "", {}}.has_ended());
  }
}

TEST_CASE("times are as Slurm writes them") {
  CHECK(parse_slurm_time("1-02:03:04") == Approx(93784));
  CHECK(parse_slurm_time("02:03:04") == Approx(7384));
  CHECK(parse_slurm_time("03:04.567") == Approx(184.567));
  for (const char* other : {"", "5", "x:1", "1:2:3:4", "-1:00", "a-01:00:00", "1-"}) {
    CAPTURE(other);
    CHECK_FALSE(parse_slurm_time(other).has_value());
  }
}

TEST_CASE("a program's output, errors and exit code are captured") {
  const CapturedCommand ended =
      run_captured({"sh", "-c", "echo one; echo 'sh: error: two' >&2; echo three >&2; exit 7"});
  CHECK(ended.exit_code == 7);
  CHECK(ended.output == "one\n");
  CHECK(error_line(ended, "sh") == "two; three");
  CHECK(error_line(run_captured({"false"}), "false") == "exit code 1");
  CHECK(run_captured({"sh", "-c", "kill -9 $$"}).exit_code == 137);
  const CapturedCommand large = run_captured({"sh", "-c", "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero"});
  CHECK(large.output.size() == 300000);
  CHECK(large.errors.size() == 300000);
}
