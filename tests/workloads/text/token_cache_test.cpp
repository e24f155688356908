#include "workloads/text/token_cache.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "catch.h"
#include "temporary_folder.h"
#include "workloads/dataset.h"

namespace ddlbench::workloads {
namespace {

namespace fs = std::filesystem;

std::vector<std::int32_t> numbers_of(const Tokens& tokens) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(tokens.size()));
  tokens.copy(0, tokens.size(), all.data());
  return all;
}

const std::vector<std::int32_t> some{5, 0, 50256, 7, 65535};

TEST_CASE("a token cache returns the written tokens, stored in the width that the vocabulary needs") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "tokens";
  for (const std::uint32_t vocabulary : {65536U, 65537U}) {
    const TokenSource source{1000, 42, 43, vocabulary, 1};
    CHECK_FALSE(read_token_cache(path, source).has_value());
    write_token_cache(path, source, some);
    CHECK(fs::file_size(path) == 72 + some.size() * (vocabulary == 65536 ? 2 : 4));
    const auto kept = read_token_cache(path, source);
    REQUIRE(kept.has_value());
    CHECK(numbers_of(*kept) == some);
  }
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);  // no temporary file is left
}

TEST_CASE("a token cache of another source, or a truncated one, is not used") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "tokens";
  const TokenSource source{1000, 42, 43, 50257, 1};
  write_token_cache(path, source, some);
  for (int changed = 0; changed < 5; ++changed) {
    TokenSource other = source;
    if (changed == 0) ++other.bytes;
    if (changed == 1) ++other.hash;
    if (changed == 2) ++other.vocabulary_hash;
    if (changed == 3) ++other.vocabulary;
    if (changed == 4) other.end_of_text = 0;
    CHECK_FALSE(read_token_cache(path, other).has_value());
  }
  for (const std::size_t lost : {1, 2}) {
    fs::resize_file(path, 72 + some.size() * 2 - lost);
    CHECK_FALSE(read_token_cache(path, source).has_value());
  }
}

TEST_CASE("a change at any position of a token cache is detected") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "tokens";
  const TokenSource source{1000, 42, 43, 50257, 1};
  for (std::size_t at = 0; at < some.size() * 2; ++at) {
    write_token_cache(path, source, some);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(72 + at));
    file.put('\x15');
    file.close();
    CHECK_THROWS_WITH(read_token_cache(path, source),
                      path +
                          ": its tokens were changed since they were written (the checksum differs): the file is "
                          "damaged; delete it, and ddlbench creates it again");
  }
}

TEST_CASE("a file that is not a token cache is neither used nor overwritten") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "thesis.txt";
  std::ofstream(path) << "Once upon a time there was a cache, and it was sixty-four bytes long at least.";
  CHECK_THROWS_WITH(read_token_cache(path, {}),
                    path + ": is not a token file written by ddlbench; name another in the option cache");
  CHECK_THROWS_AS(read_token_cache(folder.path(), {}), BadData);
  const std::string nowhere = folder / "nowhere/tokens";
  CHECK_THROWS_WITH(write_token_cache(nowhere, {}, some),
                    nowhere +
                        ": tokens cannot be written: No such file or directory; set the option cache to a writable "
                        "file, or leave it out to keep tokens in memory");
}

TEST_CASE("reading tokens outside a text is a ContractError") {
  const Tokens tokens(some);
  std::int32_t token = 0;
  CHECK_THROWS_AS(tokens.copy(5, 1, &token), ContractError);
  CHECK_THROWS_AS(tokens.copy(-1, 1, &token), ContractError);
}

}  // namespace
}  // namespace ddlbench::workloads
