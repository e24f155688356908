#include "bench/command/run_cases.h"

#include <unistd.h>

#include <iostream>

#include "bench/command/main_command.h"
#include "bench/report/grid.h"
#include "bench/run/supervisor.h"

namespace ddlbench::bench {
namespace {

std::string note(const Case& which) {
  if (!which.unsupported.empty()) return "unsupported: " + which.unsupported;
  if (!which.out_of_memory.empty()) return "out of memory: " + which.out_of_memory;
  return which.oversubscribed ? "oversubscribed" : "";
}

std::string table(const std::vector<Case>& cases) {
  using enum Grid::Align;
  Grid grid({left, left, left, right, right, right, right, left});
  grid.add({"case", "strategy", "family", "ranks", "threads", "batch", "seed", ""});
  for (const auto& which : cases) {
    grid.add({which.id, which.strategy.label, which.family, std::to_string(which.ranks),
              std::to_string(which.threads_per_rank), std::to_string(which.global_batch), std::to_string(which.seed),
              note(which)});
  }
  return grid.text(0);
}

}  // namespace

int run_cases(const ChosenCases& chosen, const Arguments& arguments, std::ostream& out, std::ostream& err) {
  const auto& [experiment, cases] = chosen;
  if (arguments.dry_run) {
    out << table(cases);
    return exit_code::ok;
  }
  RunRequest request;
  request.output = arguments.output;
  request.resolved_config = experiment.resolved;
  request.max_failures = arguments.max_failures;
  request.quiet = arguments.quiet;
  if (&err == &std::cerr) request.terminal = detect_terminal(STDERR_FILENO);
  return run_experiment(experiment, cases, request, out, err);
}

}  // namespace ddlbench::bench
