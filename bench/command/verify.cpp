#include "bench/command/cases.h"
#include "bench/command/commands.h"
#include "bench/command/run_cases.h"
#include "graph/error.h"

namespace ddlbench::bench {

int verify_command(const Arguments& arguments, std::ostream& out, std::ostream& err) {
  ChosenCases chosen = choose_cases(arguments);
  if (chosen.experiment.measure.verify_steps == 0) {
    throw InputError("measure/verify_steps is 0: nothing would be verified; add --set /measure/verify_steps=5");
  }
  chosen.experiment.measure.certificates_alone = true;
  return run_cases(chosen, arguments, out, err);
}

}  // namespace ddlbench::bench
