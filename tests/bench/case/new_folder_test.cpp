#include "bench/case/new_folder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.h"
#include "runtime/checkpoint/temporary.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("a committed folder appears with all its files, and leftovers of killed processes are removed", "[F11]") {
  const test::TemporaryFolder folder;
  const std::string name = folder / "deep/trace";
  const pid_t child = ::fork();
  if (child == 0) {
    const NewFolder killed(name);
    std::ofstream(killed.path() + "/part") << "a part";
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  const std::string left = name + ".tmp-" + std::to_string(child);
  REQUIRE(std::filesystem::exists(left + "/part"));
  std::filesystem::create_directory(folder / "other");
  std::filesystem::create_symlink(folder / "other", runtime::temporary_of(name));
  {
    NewFolder made(name);
    CHECK_FALSE(std::filesystem::exists(left));
    std::ofstream(made.path() + "/whole") << "whole";
    made.commit();
  }
  CHECK(std::filesystem::exists(name + "/whole"));
  CHECK(std::filesystem::is_empty(folder / "other"));
  CHECK(std::distance(std::filesystem::directory_iterator(folder / "deep"), {}) == 1);
}
