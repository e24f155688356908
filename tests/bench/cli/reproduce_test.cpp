#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "command.h"
#include "contains.h"

using namespace ddlbench::bench;
using ddlbench::test::contains;

TEST_CASE("reproduce prints each published bubble rate beside the same one of its own") {
  const Result result = command({"reproduce", "zero-bubble"});
  REQUIRE(result.code == 0);
  std::istringstream lines(result.out);
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    const std::vector<std::string> cells{std::istream_iterator<std::string>(words), {}};
    if (cells.size() != 12 || cells[0].find_first_not_of("0123456789") != std::string::npos) continue;
    ++rows;
    for (const std::size_t ours : {6U, 8U, 10U}) {
      INFO(line);
      CHECK(cells[ours] == cells[ours + 1]);
    }
  }
  CHECK(rows == 4);
}

TEST_CASE("reproduce takes a row of the user's own, if it is whole") {
  const std::vector<std::string> words{"reproduce", "zero-bubble", "--stages", "4", "--microbatches", "8",
                                       "--forward", "1",           "--input",  "1", "--weight",       "1"};
  const Result result = command(words);
  CHECK(result.code == 0);
  CHECK(contains(result.out, "zb_auto, activation_limit 1.5"));
  const Result part = command({words.begin(), words.end() - 2});
  CHECK(part.code == exit_code::usage);
  CHECK(contains(part.err, "a row of your own needs --stages, --microbatches, --forward, --input and --weight"));
}
