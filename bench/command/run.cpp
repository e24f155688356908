#include "bench/command/cases.h"
#include "bench/command/commands.h"
#include "bench/command/run_cases.h"

namespace ddlbench::bench {

int run_command(const Arguments& arguments, std::ostream& out, std::ostream& err) {
  const auto choose = [](const Arguments& given, int cores) { return choose_cases(given, cores); };
  return run_cases(arguments, choose, out, err);
}

}  // namespace ddlbench::bench
