#include "bench/records/cache_file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "bench/records/file.h"
#include "catch.h"
#include "graph/error.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using nlohmann::json;

namespace {

std::string file_in(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") return entry.path().string();
  }
  return "";
}

}  // namespace

TEST_CASE("a cache file keeps entries by context, newer ones in place of older ones") {
  const test::TemporaryFolder temporary;
  const CacheFile here(temporary / "deep", "choices", "here");
  CHECK(here.load().empty());
  here.add({{"a", "direct"}, {"b", "product"}});
  here.add({{"b", "direct"}});
  CHECK(here.load() == json{{"a", "direct"}, {"b", "direct"}});
  CHECK(CacheFile(temporary / "deep", "choices", "there").load().empty());
  CHECK(CacheFile(temporary / "deep", "profile", "here").load().empty());
}

TEST_CASE("without a folder a cache keeps nothing") {
  const CacheFile nowhere("", "choices", "here");
  CHECK_NOTHROW(nowhere.add({{"a", 1}}));
  CHECK(nowhere.load().empty());
}

TEST_CASE("a cache file that is cut off, changed or foreign is not used, and replaced") {
  const test::TemporaryFolder folder;
  const CacheFile here(folder.path(), "choices", "here");
  here.add({{"a", "direct"}, {"b", "product"}});
  const std::string file = file_in(folder.path()), whole = read_file(file);
  std::string damaged;
  SECTION("cut off") {
    damaged = whole.substr(0, whole.size() / 2);
  }
  SECTION("empty") {
    damaged = "";
  }
  SECTION("a changed name") {
    damaged = std::string(whole).replace(whole.find("direct"), 6, "dirict");
  }
  SECTION("another context's") {
    damaged = std::string(whole).replace(whole.find("here"), 4, "hers");
  }
  SECTION("no object") {
    damaged = "[1, 2]";
  }
  SECTION("other members") {
    damaged = R"({"context": "here", "seconds": {"a": 1}})";
  }
  std::ofstream(file) << damaged;
  CHECK(here.load().empty());
  here.add({{"c", "direct"}});
  CHECK(here.load() == json{{"c", "direct"}});
}

TEST_CASE("processes that add to a cache file at the same time lose nothing") {
  const test::TemporaryFolder folder;
  constexpr int processes = 4, entries = 5;
  for (int p = 0; p < processes; ++p) {
    if (::fork() != 0) continue;
    const CacheFile file(folder.path(), "choices", "here");
    for (int i = 0; i < entries; ++i) file.add({{std::to_string(p) + "/" + std::to_string(i), i}});
    ::_exit(0);
  }
  for (int p = 0; p < processes; ++p) {
    int status = -1;
    ::wait(&status);
    CHECK(status == 0);
  }
  CHECK(CacheFile(folder.path(), "choices", "here").load().size() == processes * entries);
}

TEST_CASE("a folder that cannot be written is an error that names it") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "file") << "no folder";
  CHECK_THROWS_AS(CacheFile(folder / "file", "choices", "here").add({{"a", 1}}), InputError);
}

TEST_CASE("one kind of what is kept can be forgotten, and the others stay") {
  const test::TemporaryFolder folder;
  const CacheFile here(folder.path(), "choices", "here"), there(folder.path(), "choices", "there");
  const CacheFile times(folder.path(), "profile", "here");
  for (const CacheFile* file : {&here, &there, &times}) file->add({{"a", "direct"}});
  CHECK(forget_cache(folder.path(), "choices") == 2);
  CHECK(here.load().empty());
  CHECK(there.load().empty());
  CHECK(times.load().size() == 1);
  CHECK(forget_cache(folder.path(), "choices") == 0);
}

TEST_CASE("the contents of a cache folder are counted by kind") {
  const test::TemporaryFolder folder;
  CHECK(cache_contents(folder / "none").empty());
  CacheFile(folder.path(), "choices", "here").add({{"a", 1}, {"b", 2}});
  CacheFile(folder.path(), "choices", "there").add({{"a", 1}});
  CacheFile(folder.path(), "profile", "here").add({{"a", 0.5}});
  const auto contents = cache_contents(folder.path());
  REQUIRE(contents.size() == 2);
  CHECK(contents[0].kind == "choices");
  CHECK(contents[0].files == 2);
  CHECK(contents[0].entries == 3);
  CHECK(contents[1].entries == 1);
}
