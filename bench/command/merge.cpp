#include <fmt/core.h>

#include "base/printable.h"
#include "bench/command/commands.h"
#include "bench/command/main_command.h"
#include "bench/compare/merge_runs.h"

namespace ddlbench::bench {

int merge_command(const Arguments& arguments, std::ostream& out) {
  const MergedRuns merged = merge_runs(arguments.folders, arguments.output, arguments.accept_changes);
  out << fmt::format("{}: {} of {} cases have ended, from {} runs on {} of machine\n", printable(arguments.output),
                     merged.ended, merged.planned, arguments.folders.size(),
                     merged.machines == 1 ? "one kind" : fmt::format("{} kinds", merged.machines));
  return exit_code::ok;
}

}  // namespace ddlbench::bench
