#include "bench/compare/contestant.h"

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "catch.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

std::string error_of(const std::string& old_word, const std::string& new_word, const std::string& config) {
  try {
    contestants_of(old_word, new_word, config);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("contestants are two programs with an experiment, or two experiments") {
  const test::TemporaryFolder folder;
  for (const char* name : {"a.json", "b.json", "text"}) std::ofstream(folder / name) << "{}";
  const auto [older, newer] = contestants_of("/bin/sh", "/bin/ls", folder / "a.json");
  CHECK(older.program == "/bin/sh");
  CHECK(newer.program == "/bin/ls");
  CHECK(newer.config == folder / "a.json");
  const auto [first, second] = contestants_of(folder / "a.json", folder / "b.json", "");
  CHECK(first.program == second.program);
  CHECK(second.config == folder / "b.json");

  CHECK(error_of("/bin/sh", folder / "b.json", "").find("are a program and an experiment") != std::string::npos);
  CHECK(error_of("/bin/sh", "/bin/ls", "").find("add --config FILE") != std::string::npos);
  CHECK(error_of("/bin/sh", "/bin/ls", "-").find("read only once") != std::string::npos);
  CHECK(error_of(folder / "a.json", folder / "b.json", folder / "a.json").find("leave it out") != std::string::npos);
  CHECK(error_of("/bin/sh", folder / "none", folder / "a.json").find("no such program") != std::string::npos);
  CHECK(error_of("/bin/sh", folder / "text", folder / "a.json").find("make it executable") != std::string::npos);
  CHECK(error_of(folder / "a.json", folder / "c.json", "").find("c.json: no such file") != std::string::npos);
}
