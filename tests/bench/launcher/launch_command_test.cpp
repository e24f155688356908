#include "bench/launcher/launch_command.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "catch.h"
#include "environment_variable.h"
#include "temporary_folder.h"

using namespace ddlbench::bench;
using ddlbench::test::EnvironmentVariable;

namespace {

bool has(const std::vector<std::string>& variables, const std::string& wanted) {
  return std::find(variables.begin(), variables.end(), wanted) != variables.end();
}

}  // namespace

TEST_CASE("the environment of a job does not contain variables of the launcher above it") {
  const EnvironmentVariable rank("PMI_RANK", "1");
  const EnvironmentVariable descriptor("PMI_FD", "7");
  const EnvironmentVariable mine("DDLBENCH_TEST_MINE", "kept");
  const EnvironmentVariable threads("OMP_NUM_THREADS", "64");
  const std::vector<std::string> variables = environment_of({{"OMP_NUM_THREADS", "2"}});
  CHECK(has(variables, "DDLBENCH_TEST_MINE=kept"));
  CHECK(has(variables, "OMP_NUM_THREADS=2"));
  CHECK_FALSE(has(variables, "OMP_NUM_THREADS=64"));
  CHECK_FALSE(has(variables, "PMI_RANK=1"));
  CHECK_FALSE(has(variables, "PMI_FD=7"));
}

TEST_CASE("ranks are started by the mpiexec in PATH") {
  ddlbench::test::TemporaryFolder folder;
  const EnvironmentVariable path("PATH", folder / "none" + ":" + folder.path());
  CHECK_THROWS_AS(through_mpiexec(2, 3, "/bin/ddlbench", {"rank"}), ddlbench::InputError);
  const std::string mpiexec = folder / "mpiexec";
  std::ofstream(mpiexec) << "#!/bin/sh\n";
  CHECK_THROWS_AS(through_mpiexec(2, 3, "/bin/ddlbench", {"rank"}), ddlbench::InputError);
  std::filesystem::permissions(mpiexec, std::filesystem::perms::owner_all);
  const LaunchCommand command = through_mpiexec(2, 3, "/bin/ddlbench", {"rank"});
  CHECK(command.program == mpiexec);
  CHECK(command.arguments == std::vector<std::string>{"-n", "2", "/bin/ddlbench", "rank"});
  CHECK(command.environment.at("OMP_NUM_THREADS") == "3");
}
