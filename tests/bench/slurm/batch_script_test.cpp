#include "bench/slurm/batch_script.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "../config/source_root.h"
#include "base/error.h"
#include "bench/records/file.h"
#include "bench/slurm/captured_command.h"
#include "catch.h"
#include "contains.h"
#include "environment_variable.h"
#include "failure.h"
#include "temporary_folder.h"
#include "written_program.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

StudyRequest request_for(Layout layout) {
  StudyRequest request;
  request.folder = "/data/study";
  request.layout = layout;
  request.partition = "gpu";
  request.time = "01:00:00";
  request.account = "dl";
  request.gpu_type = "a100";
  request.sbatch_options = {"--qos=long"};
  request.before = {"module load mpich nccl"};
  request.ddlbench_options = {"--retries=2"};
  request.simultaneous = 2;
  request.program = "/opt/ddlbench/bin/ddlbench";
  request.working_folder = "/data/user";
  return request;
}

std::vector<StudyJob> gpu_jobs() {
  return {{"ranks-4", {4}, "-r4(-|$)", {"001-ddp-r4", "002-tensor-r4"}, {1, 4, 8, 4}},
          {"ranks-8", {8}, "-r8(-|$)", {"003-ddp-r8"}, {2, 4, 8, 4}}};
}

std::string golden(const std::string& name) {
  return read_file(source_root() / "tests/bench/slurm/golden" / name);
}

/// Returns what bash says about the syntax of a script; empty if it is valid.
std::string syntax_errors(const std::string& text) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "script.sh") << text;
  return run_captured({"bash", "-n", folder / "script.sh"}).errors;
}

/// A job whose ddlbench and scontrol are programs of the test.
class ScriptedJob {
 public:
  explicit ScriptedJob(const std::string& ddlbench) {
    StudyRequest request = request_for(Layout::jobs);
    request.folder = folder_.path();
    request.program = folder_ / "ddlbench";
    request.before.clear();
    test::write_program(request.program, "echo \"started with: $*\"; " + ddlbench);
    std::filesystem::create_directories(slurm_folder(request.folder));
    std::filesystem::create_directories(folder_ / "bin");
    test::write_program(folder_ / "bin/scontrol", "echo \"scontrol $*\"");
    std::ofstream(script()) << batch_scripts("x", gpu_jobs(), request)[0].text;
  }
  CapturedCommand run() const {
    const test::EnvironmentVariable path("PATH", folder_ / "bin:" + std::getenv("PATH")), id("SLURM_JOB_ID", "17");
    return run_captured({"bash", script()});
  }

 private:
  std::string script() const { return folder_ / "slurm/ranks-4.sh"; }
  test::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a job whose time is too short for a further case is requeued, at most three times") {
  const ScriptedJob job("exit 142");
  for (int start = 1; start <= 4; ++start) {
    CAPTURE(start);
    const CapturedCommand ended = job.run();
    CHECK(ended.exit_code == 142);
    CHECK(test::contains(ended.output, "requeued after time-out\nscontrol requeue 17\n") == (start < 4));
    CHECK(test::contains(ended.output, "not requeued: time-out number 4") == (start == 4));
  }
}

TEST_CASE("a job that ends otherwise is not requeued, and its ddlbench gets the options of the study") {
  for (const int code : {0, 1, 143}) {
    CAPTURE(code);
    const CapturedCommand ended = ScriptedJob("exit " + std::to_string(code)).run();
    CHECK(ended.exit_code == code);
    CHECK_FALSE(test::contains(ended.output, "requeue"));
    CHECK(test::contains(ended.output, "--filter=-r4(-|$) --retries=2\n"));
  }
}

TEST_CASE("a job's script is as documented") {
  const auto scripts = batch_scripts("resnet50", gpu_jobs(), request_for(Layout::jobs));
  REQUIRE(scripts.size() == 2);
  CHECK(scripts[0].name == "ranks-4");
  CHECK(scripts[0].text == golden("ranks-4.sh"));
  CHECK(syntax_errors(scripts[0].text).empty());
}

TEST_CASE("an array's script chooses the cases by its task") {
  const auto scripts = batch_scripts("resnet50", gpu_jobs(), request_for(Layout::array));
  REQUIRE(scripts.size() == 1);
  const std::string& text = scripts[0].text;
  for (const char* line :
       {"# resnet50: 3 cases on 4, 8 ranks.", "#SBATCH --array=0-1%2", "#SBATCH --job-name=resnet50\n",
        "#SBATCH --output=/data/study/slurm/array-%a.log", "jobs=(ranks-4 ranks-8)", "filters=('-r4(-|$)' '-r8(-|$)')",
        "job=${jobs[$SLURM_ARRAY_TASK_ID]}"}) {
    CAPTURE(line);
    CHECK(test::contains(text, line));
  }
  CHECK(syntax_errors(text).empty());
}

TEST_CASE("the script of one allocation runs all cases") {
  const StudyJob all{"all-ranks", {4, 8}, "", {"001-ddp-r4", "002-ddp-r8"}, {2, 4, 1, 0}};
  const auto scripts = batch_scripts("resnet50", {all}, request_for(Layout::allocation));
  REQUIRE(scripts.size() == 1);
  CHECK(test::contains(scripts[0].text, "cases=''  #"));
  CHECK(test::contains(scripts[0].text, "#SBATCH --nodes=2\n"));
  CHECK_FALSE(test::contains(scripts[0].text, "--gres"));
  CHECK(syntax_errors(scripts[0].text).empty());
}

TEST_CASE("paths with blanks, quotation marks and percent signs are quoted") {
  StudyRequest request = request_for(Layout::jobs);
  request.folder = "/data/100% it's mine";
  const std::string text = batch_scripts("x", gpu_jobs(), request)[0].text;
  CHECK(test::contains(text, "#SBATCH --output=\"/data/100%% it's mine/slurm/ranks-4.log\"\n"));
  CHECK(test::contains(text, "folder='/data/100% it'\\''s mine'/$job"));
  CHECK(syntax_errors(text).empty());
  request.folder = "/data/\"a\"";
  test::check_says(test::failure_of<InputError>([&] { batch_scripts("x", gpu_jobs(), request); }), "a quotation mark");
  request = request_for(Layout::jobs);
  request.sbatch_options = {"qos=long"};
  test::check_says(test::failure_of<InputError>([&] { batch_scripts("x", gpu_jobs(), request); }),
                   "as in --sbatch=--qos=long");
}
