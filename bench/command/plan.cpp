#include <algorithm>
#include <array>

#include "bench/command/case_compiler.h"
#include "bench/command/cases.h"
#include "bench/command/commands.h"
#include "bench/command/main_command.h"
#include "bench/report/grid.h"
#include "bench/report/units.h"
#include "program/account.h"
#include "program/check.h"
#include "program/cost_table.h"
#include "program/passes.h"
#include "program/print.h"

namespace ddlbench::bench {
namespace {

/// The largest rank's, each figure by itself.
struct Largest {
  double flops = 0;
  std::int64_t sent_bytes = 0;
  std::int64_t peak_bytes = 0;
  std::array<std::int64_t, program::memory_classes> peak_bytes_by_class{};
};

Largest largest_of(const program::Plan& plan) {
  Largest largest;
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    const program::Account account = program::account(plan, rank);
    largest.flops = std::max(largest.flops, account.total_flops());
    largest.sent_bytes = std::max(largest.sent_bytes, account.total_sent_bytes());
    largest.peak_bytes = std::max(largest.peak_bytes, account.peak_bytes);
    for (std::size_t i = 0; i < largest.peak_bytes_by_class.size(); ++i) {
      largest.peak_bytes_by_class[i] = std::max(largest.peak_bytes_by_class[i], account.peak_bytes_by_class[i]);
    }
  }
  return largest;
}

std::vector<std::string> header() {
  std::vector<std::string> cells{"case", "strategy", "mesh", "MFLOP/step", "sent/step", "peak"};
  for (int i = 0; i < program::memory_classes; ++i) {
    cells.emplace_back(program::name(static_cast<program::MemoryClass>(i)));
  }
  return cells;
}

std::vector<std::string> row(const Case& which, const program::Plan& plan) {
  const Largest largest = largest_of(plan);
  std::vector<std::string> cells{which.id,
                                 which.strategy.label,
                                 program::describe_meshes(plan),
                                 format_ratio(largest.flops / 1e6),
                                 format_bytes(largest.sent_bytes),
                                 format_bytes(largest.peak_bytes)};
  for (const auto bytes : largest.peak_bytes_by_class) cells.push_back(format_bytes(bytes));
  return cells;
}

}  // namespace

int plan_command(const Arguments& arguments, std::ostream& out, std::ostream& err) {
  const auto [experiment, cases] = choose_cases(arguments);
  CaseCompiler compiler(experiment);
  std::vector<Grid::Align> columns(header().size(), Grid::Align::right);
  std::fill_n(columns.begin(), 3, Grid::Align::left);
  Grid grid(columns);
  grid.add(header());
  bool sound = true;
  for (const auto& which : cases) {
    if (!which.unsupported.empty()) {
      err << which.id << ": unsupported: " << which.unsupported << '\n';
      continue;
    }
    program::Plan plan = compiler.compile(which);
    program::complete(plan, program::CostTable{});
    for (const auto& finding : program::check(plan)) {
      err << which.id << ": " << program::to_string(finding) << '\n';
      sound = false;
    }
    grid.add(row(which, plan));
    if (arguments.show_program) {
      out << "== " << which.id << ": " << which.strategy.label << '\n';
      program::print(out, plan);
      out << '\n';
    }
  }
  out << grid.text(0) << "Each figure is that of the rank that has most of it; libraries' workspaces are not in it.\n";
  return sound ? exit_code::ok : exit_code::case_failed;
}

}  // namespace ddlbench::bench
