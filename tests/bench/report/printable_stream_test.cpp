#include "bench/report/printable_stream.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "../record_fixtures.h"
#include "bench/report/certificates.h"
#include "bench/report/decision.h"
#include "bench/report/grid.h"
#include "bench/report/table.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

bool is_steered(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ' && c != '\n') || c == '\x7f'; });
}

}  // namespace

TEST_CASE("a stream shows no control characters but line feeds and those of the program itself", "[F12]") {
  std::ostringstream stream;
  {
    PrintableStream shown(stream);
    stream << "a\x1b[31m" << std::setw(3) << 7 << '\n'
           << Control{"\x1b[0m"} << '\xc2' << std::flush << '\xbc' << "\xe2";
    CHECK(stream.good());
  }
  CHECK(stream.str() == "a\\x1b[31m  7\n\x1b[0m\xc2\xbc\\xe2");
  stream << "\x1b" << Control{"\r"};
  CHECK(stream.str().ends_with("\x1b\r"));
}

TEST_CASE("a stream that cannot be written reports it through the filter", "[F12]") {
  std::ostream nowhere(nullptr);
  PrintableStream shown(nowhere);
  nowhere << "a" << Control{"b"};
  CHECK(!nowhere);
}

TEST_CASE("a grid shows each cell on one line, and aligns by its printed width", "[F12]") {
  Grid grid({Grid::Align::left, Grid::Align::right});
  grid.add({"a\nb\x1b", "1"});
  grid.add({"ü", "\xe2\x80\xae"});
  CHECK(grid.text(0) ==
        "a\\nb\\x1b         1\n"
        "ü         \\u{202e}\n");
}

TEST_CASE("no name in a record can control the terminal through the table, the decision or the certificates", "[F12]") {
  const std::string hostile = "\x1b[2J\r\nBest: \x7f";
  std::vector<CaseRecord> records{ddlbench::test::finished_case("ddp" + hostile, 2, 1, 0.1),
                                  ddlbench::test::finished_case("single", 1, 2, 0.1),
                                  ddlbench::test::ended_case("zero" + hostile, 2, Status::crashed, hostile)};
  for (CaseRecord& record : records) {
    record.case_id += hostile;
    record.workload = record.dataset = record.target = hostile;
  }
  Records all;
  all.cases = records;
  const auto rankings = rank_cases(all);
  const std::string table = format_table(rankings), decision = decide(rankings);
  CHECK(!is_steered(table));
  CHECK(!is_steered(decision));
  CHECK(!is_steered(format_certificates(records)));
  CHECK(std::count(decision.begin(), decision.end(), '\n') == 1);
  CHECK(std::count(table.begin(), table.end(), '\n') ==
        6);  // contract, header, two ranked cases, "not ranked:", one case that is not
}
