#include <sstream>

#include "../config/source_root.h"
#include "bench/command/main_command.h"
#include "catch.h"
#include "contains.h"
#include "platform/bound_cores.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// Returns the batch scripts of an experiment with these options.
std::string scripts_with(const std::vector<std::string>& options) {
  const std::string experiment = (source_root() / "configs/synthetic-mlp.json").string();
  std::vector<const char*> words{"ddlbench",  "slurm", experiment.c_str(),         "--output", "/study",
                                 "--dry-run", "--set", "/workload/global_batch=64"};
  for (const std::string& option : options) words.push_back(option.c_str());
  std::ostringstream out, err;
  CHECK(main_command(static_cast<int>(words.size()), words.data(), out, err) == exit_code::ok);
  INFO(err.str());
  return out.str();
}

}  // namespace

TEST_CASE("limits of a run are passed on to the jobs as they were given") {
  CHECK(test::contains(scripts_with({"--time-limit", "1h30m", "--retries=2"}),
                       "\noptions=(--time-limit=1h30m --retries=2)  # further options of ddlbench\n"));
  CHECK(test::contains(scripts_with({}), "\noptions=()  #"));
}

TEST_CASE("a filter selects both cases of single, also if they would be the same on this machine") {
  const auto cores = platform::allowed_cores().size();
  for (const auto threads : {cores, cores + 1}) {
    CHECK(
        test::contains(scripts_with({"--filter=single", "--set=/devices/threads_per_rank=" + std::to_string(threads)}),
                       "\ncases='^(001-single-r1|002-single-r1)$'  #"));
  }
}
