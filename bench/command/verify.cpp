#include "base/error.h"
#include "bench/command/cases.h"
#include "bench/command/commands.h"
#include "bench/command/run_cases.h"

namespace ddlbench::bench {
namespace {

ChosenCases choose_to_verify(const Arguments& arguments, int cores) {
  ChosenCases chosen = choose_cases(arguments, cores);
  if (chosen.experiment.measure.verify_steps == 0) {
    throw InputError("measure/verify_steps is 0: nothing would be verified; add --set /measure/verify_steps=5");
  }
  return chosen;
}

}  // namespace

int verify_command(const Arguments& given, std::ostream& out, std::ostream& err) {
  Arguments arguments = given;
  arguments.certificates_only = true;
  return run_cases(arguments, choose_to_verify, out, err);
}

}  // namespace ddlbench::bench
