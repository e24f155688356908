#include "bench/slurm/batch_script.h"

#include <fstream>

#include "../config/source_root.h"
#include "base/error.h"
#include "bench/records/file.h"
#include "bench/slurm/captured_command.h"
#include "catch.h"
#include "contains.h"
#include "failure.h"
#include "temporary_folder.h"

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

}  // namespace

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
