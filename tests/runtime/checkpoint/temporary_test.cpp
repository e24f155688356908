#include "runtime/checkpoint/temporary.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "catch.h"
#include "runtime/checkpoint/file.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::runtime;

namespace {

namespace fs = std::filesystem;

/// Returns the id of a process that has ended.
std::string ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return std::to_string(child);
}

void write(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text.data(), text.size());
  file.sync();
  file.commit();
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> set_of_names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

}  // namespace

TEST_CASE("the next write removes the temporaries of killed processes, and nothing else", "[F11][F14]") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "w.safetensors", gone = ended_process();
  for (const std::string& name : {path + ".tmp-" + gone, path + ".tmp-" + std::to_string(::getppid()),
                                  path + ".tmp-" + gone + "x", path + ".tmp-0" + gone, path + ".tmp-", path + ".tmp",
                                  path + "2.tmp-" + gone, folder / ("v.safetensors.tmp-" + gone)})
    std::ofstream(name) << "a part";
  fs::create_directory(path + ".tmp-" + ended_process());
  const std::string link = path + ".tmp-" + ended_process();
  fs::create_symlink("v.safetensors.tmp-" + gone, link);
  write(path, "new");
  CHECK(set_of_names_in(folder.path()) ==
        std::set<std::string>{"w.safetensors", "w.safetensors.tmp-" + std::to_string(::getppid()),
                              "w.safetensors.tmp-" + gone + "x", "w.safetensors.tmp-0" + gone, "w.safetensors.tmp-",
                              "w.safetensors.tmp", "w.safetensors2.tmp-" + gone, "v.safetensors.tmp-" + gone,
                              fs::path(link).filename()});
}

TEST_CASE("a folder is listed only once, however many files are written") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "f", left = path + ".tmp-" + ended_process();
  write(path, "first");
  std::ofstream(left) << "a part";
  write(path, "second");
  CHECK(set_of_names_in(folder.path()) == std::set<std::string>{"f", fs::path(left).filename()});
}

TEST_CASE("a temporary that another machine is writing is not removed", "[F11]") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "f", temporary = path + ".tmp-" + ended_process();
  const int held = open_temporary(temporary);
  REQUIRE(held >= 0);
  remove_stale_temporaries(path);
  CHECK(fs::exists(temporary));
  ::close(held);
  remove_stale_temporaries(path);
  CHECK_FALSE(fs::exists(temporary));
}

TEST_CASE("a link in place of a temporary is not followed", "[F14]") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "f", victim = folder / "victim";
  std::ofstream(victim) << "precious";
  fs::create_symlink(victim, temporary_of(path));
  write(path, "new");
  CHECK(text_of(victim) == "precious");
  CHECK(text_of(path) == "new");
  CHECK_FALSE(fs::is_symlink(path));
  CHECK(set_of_names_in(folder.path()) == std::set<std::string>{"f", "victim"});
}
