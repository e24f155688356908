#include "bench/command/cases.h"
#include "bench/command/commands.h"
#include "bench/command/run_cases.h"

namespace ddlbench::bench {

int run_command(const Arguments& arguments, std::ostream& out, std::ostream& err) {
  return run_cases(choose_cases(arguments), arguments, out, err);
}

}  // namespace ddlbench::bench
