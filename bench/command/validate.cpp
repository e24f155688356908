#include <algorithm>

#include "base/printable.h"
#include "bench/command/cases.h"
#include "bench/command/commands.h"
#include "bench/command/main_command.h"

namespace ddlbench::bench {

int validate_command(const Arguments& arguments, std::ostream& out) {
  const auto [experiment, cases, devices, work] = choose_cases(arguments);
  const auto unsupported =
      std::count_if(cases.begin(), cases.end(), [](const Case& which) { return !which.unsupported.empty(); });
  out << printable(experiment.sources.file) << ": valid: " << cases.size() << " cases of "
      << experiment.strategies.size() << " strategies";
  if (unsupported > 0) out << ", " << unsupported << " of them unsupported (--dry-run says why)";
  out << '\n';
  if (!devices.message.empty()) out << devices.message << '\n';
  if (!devices.lacking.empty())
    out << "the experiment cannot run on this machine: " << devices.pointer << ": " << devices.lacking << '\n';
  return exit_code::ok;
}

}  // namespace ddlbench::bench
