#include "bench/records/folder_claim.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "bench/records/store.h"
#include "catch.h"
#include "environment_variable.h"
#include "failure.h"
#include "platform/host_name.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

std::string this_process() {
  return "process " + std::to_string(::getpid()) + " on " + platform::host_name();
}

/// Leaves the claim of a process that was killed in the middle of a run.
void leave_claim(const std::string& folder) {
  if (::fork() == 0) {
    const FolderClaim claim(folder);
    ::_exit(0);
  }
  int status = -1;
  ::wait(&status);
  REQUIRE(status == 0);
}

/// The claim of another process: PID, START and PLACE of ProcessIdentity::text(), and its host.
struct Other {
  std::string process, start, place, host = platform::host_name();
};

Other claim_of(const std::string& folder) {
  const nlohmann::json claim = nlohmann::json::parse(read_file(folder + "/lock"));
  Other other;
  std::istringstream(claim.at("process").get<std::string>()) >> other.process >> other.start >> other.place;
  return other;
}

void change_claim(const std::string& folder, const Other& other) {
  const std::string process = other.process + " " + other.start + " " + other.place;
  std::ofstream(folder + "/lock") << nlohmann::json{{"host", other.host}, {"process", process}} << '\n';
}

}  // namespace

TEST_CASE("of two runs that found the same empty folder, one is rejected and names the other", "[F9]") {
  const test::TemporaryFolder folder;
  const std::string first = create_output_folder(folder.path(), "x");
  std::filesystem::remove_all(folder / "trace");
  std::filesystem::remove_all(folder / "log");
  const std::string second = create_output_folder(folder.path(), "x");
  REQUIRE(first == second);
  {
    const RecordStore store(first, "{}");
    const std::string before = read_file(folder / "journal.jsonl");
    const std::string said = test::failure_of<InputError>([&] { const RecordStore other(second, "{}"); });
    test::check_says(said, "output folder " + folder.path() + " is being written by " + this_process());
    test::check_says(said, "name another with --output");
    test::check_says(test::failure_of<InputError>([&] { create_output_folder(folder.path(), "x"); }),
                     "is being written by " + this_process());
    CHECK(std::filesystem::exists(folder / "lock"));
  }
  CHECK_FALSE(std::filesystem::exists(folder / "lock"));
  test::check_says(test::failure_of<InputError>([&] { const RecordStore late(second, "{}"); }),
                   folder.path() + " is not empty");
  CHECK_FALSE(std::filesystem::exists(folder / "lock"));
}

TEST_CASE("a claim that is left over is replaced on request, by one process", "[resume]") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path();
  leave_claim(path);
  test::check_says(test::failure_of<InputError>([&] { const FolderClaim claim(path); }), "is left over from process");
  {
    const FolderClaim claim(path, FolderClaim::LeftOver::replaced);
    test::check_says(
        test::failure_of<InputError>([&] { const FolderClaim other(path, FolderClaim::LeftOver::replaced); }),
        "is being written by " + this_process());
  }
  CHECK_FALSE(std::filesystem::exists(folder / "lock"));
}

TEST_CASE("a claim of another machine is replaced only by the same Slurm job", "[resume]") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path();
  std::ofstream(folder / "lock") << R"({"host": "node7", "process": "1 2 elsewhere", "slurm_job": "41"})" << '\n';
  const auto replace = [&] { const FolderClaim claim(path, FolderClaim::LeftOver::replaced); };
  {
    const test::EnvironmentVariable other_job("SLURM_JOB_ID", "42");
    test::check_says(test::failure_of<InputError>(replace), "claimed by process 1 on node7, which is not visible from");
  }
  const test::EnvironmentVariable same_job("SLURM_JOB_ID", "41");
  replace();
  CHECK_FALSE(std::filesystem::exists(folder / "lock"));
}

TEST_CASE("of processes that start at the same time, one gets the folder", "[F9]") {
  const test::TemporaryFolder folder;
  constexpr int processes = 8;
  int gate[2];
  REQUIRE(::pipe(gate) == 0);
  for (int i = 0; i < processes; ++i) {
    if (::fork() != 0) continue;
    char byte = 0;
    ::close(gate[1]);
    [[maybe_unused]] const ssize_t none = ::read(gate[0], &byte, 1);  // returns once the gate is closed
    try {
      const FolderClaim claim(folder.path());
      ::_exit(0);  // leaves the claim behind
    } catch (const InputError&) {
      ::_exit(1);
    }
  }
  ::close(gate[0]);
  ::close(gate[1]);
  int won = 0;
  for (int i = 0; i < processes; ++i) {
    int status = -1;
    ::wait(&status);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) ++won;
  }
  CHECK(won == 1);
}

TEST_CASE("a claim that a killed run has left is distinguished from one in use", "[F9]") {
  const test::TemporaryFolder folder;
  CHECK_FALSE(why_claimed(folder.path()));
  leave_claim(folder.path());
  test::check_says(why_claimed(folder.path()).value(),
                   "which was killed: name another with --output, remove it, or continue");
  test::check_says(test::failure_of<InputError>([&] { create_output_folder(folder.path(), "x"); }), "which was killed");

  Other other = claim_of(folder.path());
  SECTION("another process has its number now") {
    other.process = std::to_string(::getpid());
    other.start = "1";  // the child's own may be equal to this process's: a clock tick is 10 ms
    change_claim(folder.path(), other);
    test::check_says(why_claimed(folder.path()).value(), "is left over from " + this_process() + ", which was killed");
  }
  SECTION("the machine was booted anew") {
    other.place = "another";
    change_claim(folder.path(), other);
    test::check_says(why_claimed(folder.path()).value(), "which was killed");
  }
  SECTION("of another machine") {
    other.place = "another", other.host = "elsewhere";
    change_claim(folder.path(), other);
    test::check_says(why_claimed(folder.path()).value(),
                     "on elsewhere, which is not visible from " + platform::host_name());
    test::check_says(why_claimed(folder.path()).value(), "or remove its file `lock` if that process is gone");
  }
  SECTION("something else of that name") {
    std::ofstream(folder / "lock") << "mine";
    test::check_says(why_claimed(folder.path()).value(), "`lock` that names no process");
    std::filesystem::remove(folder / "lock");
    std::filesystem::create_directory(folder / "lock");
    test::check_says(why_claimed(folder.path()).value(), "`lock` that names no process");
  }
}
