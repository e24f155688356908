#include "bench/compare/comparison_text.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/compare/comparison_csv.h"
#include "catch.h"
#include "run_fixtures.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

const CaseRecord& old_case() {
  static const CaseRecord record = test::finished_case("ddp", 2, 10, 0.1);
  return record;
}

const CaseRecord& new_case() {
  static const CaseRecord record = [] {
    CaseRecord one = test::finished_case("ddp", 2, 11, 0.1);
    one.case_id = "007-ddp-r2";
    one.measurement->peak_memory_bytes = 6 << 20;
    one.measurement->final_accuracy_ratio = 0.9;
    return one;
  }();
  return record;
}

std::vector<ComparedCase> compared() {
  std::vector<ComparedCase> cases(2);
  cases[0].cases = {&old_case(), &new_case(), ""};
  cases[0].times = TimeComparison{{std::log(1 / 1.1), std::log(1 / 1.15), std::log(1 / 1.05)}, 0.001};
  cases[0].margins = {0.02, 0.02};
  cases[1].cases = {&old_case(), nullptr, "only in OLD | alone"};
  decide(cases);
  return cases;
}

std::string no_note(const std::string&) {
  return "";
}

}  // namespace

TEST_CASE("a table has times, ratio, verdict and what changed") {
  CHECK(format_cases(compared(), no_note, TableFormat::text) ==
        "mlp on idx, global batch 64, fp32, sgd, seed 1 (contract c0ffee)\n"
        "  case                 strategy  ranks×threads  OLD, ms  NEW, ms      NEW / OLD [95 %]  verdict"
        "       MiB per rank, max         accuracy\n"
        "  ddp-r2 → 007-ddp-r2  ddp                 2×1     10.0     11.0  1.100 [1.050, 1.150]  slower"
        "   3.00 → 6.00 (+100.0 %)  0.8750 → 0.9000\n"
        "\n"
        "not comparable:\n"
        "  case    strategy  ranks×threads  why\n"
        "  ddp-r2  ddp                 2×1  only in OLD | alone\n");
  CHECK(format_conclusion(compared()) == "NEW against OLD: 1 slower, 1 not comparable.\n");
  CHECK(has_regression(compared()));
  CHECK(format_conclusion({}) == "There are no cases.\n");
  CHECK(!has_regression({}));
}

TEST_CASE("a table in Markdown has its header, marks of alignment, and escaped cells") {
  const std::string text = format_cases(compared(), no_note, TableFormat::markdown);
  CHECK(text.find(
            "\n\n| case | strategy | ranks×threads | OLD, ms | NEW, ms | NEW / OLD [95 %] | verdict | MiB per rank, "
            "max | accuracy |\n| --- | --- | ---: | ---: | ---: | ---: | --- | ---: | ---: |\n"
            "| ddp-r2 → 007-ddp-r2 | ddp | 2×1 | 10.0 |") != std::string::npos);
  CHECK(text.find("not comparable:\n\n| case |") != std::string::npos);
  CHECK(text.find("only in OLD \\| alone |") != std::string::npos);
}

TEST_CASE("columns without content are left out") {
  CHECK(TextTable{{Grid::Align::left, Grid::Align::left}, {{"a", "b"}, {"", "x"}}}.format(TableFormat::text) ==
        "  b\n  x\n");
}

TEST_CASE("a difference in a long value is shown") {
  const std::string flags(100, 'x');
  CHECK(format_differences("They differ", {{"flags", flags + "a", flags + "b"}}, TableFormat::text) ==
        "They differ:\n  value  OLD                 NEW\n  flags  …xxxxxxxxxxxxxxxxa  …xxxxxxxxxxxxxxxxb\n");
  CHECK(format_differences("They differ", {{"x", "a" + flags, "b"}}, TableFormat::markdown) ==
        "They differ:\n\n| value | OLD | NEW |\n| --- | --- | --- |\n| x | a" + std::string(47, 'x') + "… | b |\n\n");
  CHECK(format_differences("They differ", {}, TableFormat::text).empty());
}

TEST_CASE("a long list of differences is cut") {
  std::vector<Difference> many(50, {"a", "1", "2"});
  const std::string text = format_differences("They differ", many, TableFormat::text);
  CHECK(std::count(text.begin(), text.end(), '\n') == 43);
  CHECK(text.find("… and 10 more") != std::string::npos);
}

TEST_CASE("the margin of claims is explained") {
  RunNoise noise;
  CHECK(format_margin(noise, 0.02) == "A claim has to exceed 2.00 %: the margin is 2.00 %.\n");
  noise.old_control = Interval{1, 0.99, 1.03};
  noise.new_control = Interval{1, 0, std::numeric_limits<double>::infinity()};
  noise.memory_probe = Interval{1.1, 1.05, 1.15};
  CHECK(format_margin(noise, 0.02) ==
        "A claim has to exceed an unknown amount: the margin is 2.00 %; two copies of the baseline differed by up to "
        "3.00 % in OLD and an unknown amount in NEW; the machine's own speed differed between the runs by up to 15.0 % "
        "(memory probe).\n");
}

TEST_CASE("the CSV file has every case, with empty cells where a run lacks it") {
  const std::string text = comparison_csv(compared());
  CHECK(text.starts_with("old_case_id,new_case_id,contract_id,strategy,ranks,"));
  CHECK(text.find("\r\nddp-r2,007-ddp-r2,c0ffee,ddp,2,1,,,0.01,0.011,1.1") != std::string::npos);
  CHECK(text.find("\r\nddp-r2,,c0ffee,ddp,2,1,,,0.01,,,,,,,not comparable,only in OLD | alone,") != std::string::npos);
}
