#include "bench/records/cache_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/error.h"
#include "bench/records/file.h"
#include "catch.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// A capture of what is written to std::cerr in its lifetime.
class StderrCapture {
 public:
  StderrCapture() : before_(std::cerr.rdbuf(text_.rdbuf())) {}
  ~StderrCapture() { std::cerr.rdbuf(before_); }
  StderrCapture(const StderrCapture&) = delete;
  StderrCapture& operator=(const StderrCapture&) = delete;
  bool has(const std::string& words) const { return text_.str().find(words) != std::string::npos; }

 private:
  std::ostringstream text_;
  std::streambuf* before_;
};

std::string file_in(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") return entry.path().string();
  }
  return "";
}

}  // namespace

TEST_CASE("a cache file keeps entries by context, and newer ones replace older ones") {
  const test::TemporaryFolder temporary;
  const CacheFile here(temporary / "deep", "choices", "here");
  CHECK(here.load().empty());
  here.add({{"a", "direct"}, {"b", "product"}});
  here.add({{"b", "direct"}});
  CHECK(here.load() == nlohmann::json{{"a", "direct"}, {"b", "direct"}});
  CHECK(CacheFile(temporary / "deep", "choices", "there").load().empty());
  CHECK(CacheFile(temporary / "deep", "profile", "here").load().empty());
}

TEST_CASE("without a folder a cache keeps nothing") {
  const CacheFile nowhere("", "choices", "here");
  CHECK_NOTHROW(nowhere.add({{"a", 1}}));
  CHECK(nowhere.load().empty());
}

TEST_CASE("a truncated, changed or foreign cache file is not used, and is replaced", "[F6]") {
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
  SECTION("more behind a NUL byte") {
    damaged = whole + std::string(1, '\0') + "more";
  }
  SECTION("no object") {
    damaged = "[1, 2]";
  }
  SECTION("other members") {
    damaged = R"({"context": "here", "seconds": {"a": 1}})";
  }
  std::ofstream(file) << damaged;
  const StderrCapture captured;
  CHECK(here.load().empty());
  CHECK(captured.has(file + " is not used, and will be replaced: "));
  CHECK(!captured.has("exception"));
  here.add({{"c", "direct"}});
  CHECK(here.load() == nlohmann::json{{"c", "direct"}});
}

TEST_CASE("processes that add to a cache file at the same time lose no entries") {
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

TEST_CASE("a folder that cannot be written is reported by name, and nothing is kept") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "file") << "no folder";
  const StderrCapture captured;
  CHECK_FALSE(CacheFile(folder / "file", "choices", "here").add({{"a", 1}}));
  CHECK(captured.has(folder / "file/choices-"));
  CHECK(captured.has("are not kept: " + (folder / "file") + ": cannot be created"));
}

TEST_CASE("a cache file waits for another process's lock until a timeout, and names the lock", "[F8]") {
  const test::TemporaryFolder folder;
  const CacheFile here(folder.path(), "choices", "here");
  REQUIRE(here.add({{"a", "direct"}}));
  {
    const File held(folder / "lock", O_RDWR);
    REQUIRE(::flock(held.descriptor(), LOCK_EX) == 0);
    const StderrCapture captured;
    CHECK_FALSE(here.add({{"b", "direct"}}, std::chrono::milliseconds(20)));
    CHECK(captured.has((folder / "lock") + " is held by another process, and was not free within 20"));
    CHECK(here.load() == nlohmann::json{{"a", "direct"}});
    CHECK_THROWS_AS(clear_cache(folder.path(), "choices"), InputError);
  }
  CHECK(here.add({{"b", "direct"}}));
}

TEST_CASE("whatever is in the place of a cache file or its lock causes no exception", "[F8]") {
  const test::TemporaryFolder folder;
  const CacheFile here(folder.path(), "choices", "here");
  REQUIRE(here.add({{"a", "direct"}}));
  const std::string file = file_in(folder.path()), lock = folder / "lock";
  const StderrCapture captured;
  const auto instead_of = [](const std::string& path) -> const std::string& {
    std::filesystem::remove(path);
    return path;
  };
  SECTION("a pipe for the file, which is replaced") {
    REQUIRE(::mkfifo(instead_of(file).c_str(), 0600) == 0);
    CHECK(here.load().empty());
    CHECK(captured.has(file + " is not used, and will be replaced: " + file + ": is not a regular file"));
    CHECK(here.add({{"b", "direct"}}));
    CHECK(here.load() == nlohmann::json{{"b", "direct"}});
  }
  SECTION("a folder for the file") {
    std::filesystem::create_directory(instead_of(file));
    CHECK(here.load().empty());
    CHECK_FALSE(here.add({{"b", "direct"}}));
    CHECK(captured.has(file + " cannot be extended, so the new times are not kept: " + file + ": cannot be replaced"));
  }
  SECTION("a file that is far too large") {
    std::filesystem::resize_file(file, std::uintmax_t{200} << 20);
    CHECK(here.load().empty());
    CHECK(captured.has("it has 200 MiB, and at most 16.0 MiB are read"));
    CHECK(cache_contents(folder.path()).at(0).entries == 0);
    CHECK(here.add({{"b", "direct"}}));
    CHECK(here.load() == nlohmann::json{{"b", "direct"}});
  }
  SECTION("a link for the file, which is replaced and not followed") {
    std::ofstream(folder / "victim") << "precious";
    std::filesystem::create_symlink(folder / "victim", instead_of(file));
    CHECK(here.add({{"b", "direct"}}));
    CHECK(read_file(folder / "victim") == "precious");
  }
  SECTION("a pipe for the lock, which serves as one") {
    REQUIRE(::mkfifo(instead_of(lock).c_str(), 0600) == 0);
    CHECK(here.add({{"b", "direct"}}));
  }
  SECTION("a folder for the lock") {
    std::filesystem::create_directory(instead_of(lock));
    CHECK_FALSE(here.add({{"b", "direct"}}));
    CHECK(captured.has(lock + ": cannot be opened"));
    CHECK(here.load() == nlohmann::json{{"a", "direct"}});
  }
  SECTION("text that JSON cannot have") {
    CHECK_FALSE(here.add({{"b", "\xff"}}));
    CHECK(captured.has("the new times are not kept: "));
  }
}

TEST_CASE("one kind of cache file can be removed without the others") {
  const test::TemporaryFolder folder;
  const CacheFile here(folder.path(), "choices", "here"), there(folder.path(), "choices", "there");
  const CacheFile times(folder.path(), "profile", "here");
  for (const CacheFile* file : {&here, &there, &times}) file->add({{"a", "direct"}});
  CHECK(clear_cache(folder.path(), "choices") == 2);
  CHECK(here.load().empty());
  CHECK(there.load().empty());
  CHECK(times.load().size() == 1);
  CHECK(clear_cache(folder.path(), "choices") == 0);
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
