#include "bench/records/journal.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "catch.h"
#include "failure.h"
#include "temporary_folder.h"

using namespace ddlbench::bench;
using ddlbench::test::TemporaryFolder;

namespace {

void rewrite(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::trunc) << text;
}

std::string three_lines(const std::string& path) {
  Journal journal(path);
  for (int i = 0; i < 3; ++i) journal.append({"epoch", {{"epoch", i}, {"loss", 0.1 * i}, {"text", "ä\n\"x\""}}});
  return read_file(path);
}

}  // namespace

TEST_CASE("a journal returns what was appended") {
  TemporaryFolder folder;
  const std::string text = three_lines(folder / "journal.jsonl");
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
  const auto content = read_journal(folder / "journal.jsonl");
  CHECK_FALSE(content.end.torn);
  REQUIRE(content.entries.size() == 3);
  CHECK(content.entries[2].kind == "epoch");
  CHECK(content.entries[2].record == nlohmann::json{{"epoch", 2}, {"loss", 0.2}, {"text", "ä\n\"x\""}});
}

TEST_CASE("a journal that was renamed, replaced or removed rejects further entries") {
  TemporaryFolder folder;
  const std::string path = folder / "journal.jsonl";
  Journal journal(path);
  journal.append({"epoch", {{"epoch", 1}}});
  const auto refusal = [&] { return ddlbench::test::failure_of([&] { journal.append({"epoch", {{"epoch", 2}}}); }); };
  const std::string lost = path + ": was removed, renamed or replaced during the run";
  std::filesystem::rename(path, folder / "renamed");
  CHECK(refusal() == lost);
  rewrite(path, "");
  CHECK(refusal() == lost);
  std::filesystem::remove(path);
  CHECK(refusal() == lost);
}

TEST_CASE("a journal torn at any byte of its last line keeps the lines before it") {
  TemporaryFolder folder;
  const std::string path = folder / "journal.jsonl";
  const std::string text = three_lines(path);
  const auto second_end = text.find('\n', text.find('\n') + 1) + 1;
  for (std::size_t size = second_end + 1; size < text.size(); ++size) {
    rewrite(path, text.substr(0, size));
    const auto content = read_journal(path);
    REQUIRE(content.end.torn);
    REQUIRE(content.entries.size() == 2);
  }
  SECTION("and goes on after them") {
    Journal(path).append({"epoch", {{"epoch", 7}}});
    const auto content = read_journal(path);
    CHECK_FALSE(content.end.torn);
    REQUIRE(content.entries.size() == 3);
    CHECK(content.entries[2].record.at("epoch") == 7);
  }
}

TEST_CASE("a changed line is detected by its checksum") {
  TemporaryFolder folder;
  const std::string path = folder / "journal.jsonl";
  std::string text = three_lines(path);
  text.replace(text.find("\"epoch\":1"), 9, "\"epoch\":5");
  rewrite(path, text);
  try {
    read_journal(path);
    FAIL("the damage was not noticed");
  } catch (const ddlbench::InputError& error) {
    CHECK(std::string(error.what()).find("journal.jsonl:2: this line is damaged") != std::string::npos);
  }
}

TEST_CASE("a line of more than 16 MiB is rejected, and brackets nested too deep are damage") {
  TemporaryFolder folder;
  const std::string path = folder / "journal.jsonl";
  three_lines(path);
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
  const auto failure = [&] { return ddlbench::test::failure_of([&] { read_journal(path); }); };
  CHECK(failure() == path + ":4: this line is damaged: it has more than the 16777216 bytes that a line may have");
  rewrite(path, R"({"checksum":"0","kind":"x","record":)" + std::string(1000000, '[') + "\n\n");
  CHECK(failure() == path + ":1: this line is damaged: its checksum does not match its content");
}

TEST_CASE("a journal whose last line is longer than a block continues behind the line before") {
  TemporaryFolder folder;
  const std::string path = folder / "journal.jsonl";
  const std::string text = three_lines(path);
  rewrite(path, text + std::string(3000000, 'x'));
  Journal(path).append({"epoch", {{"epoch", 7}}});
  CHECK(read_journal(path).entries.size() == 4);
  CHECK(read_file(path).starts_with(text + "{"));
}
