#include <algorithm>

#include "base/error.h"
#include "base/printable.h"
#include "base/units.h"
#include "bench/case/trainer.h"
#include "bench/case/training_trace.h"
#include "bench/command/cases.h"
#include "bench/command/commands.h"
#include "bench/command/main_command.h"
#include "bench/config/field.h"
#include "bench/config/variants.h"
#include "bench/report/grid.h"

namespace ddlbench::bench {
namespace {

/// Returns the case whose reference is traced: the first of strategy `single`, with its options; if there is none, the
/// first case. Throws InputError unless all cases have the same settings, batch and seed, and so the same reference.
const Case& the_reference(const std::vector<Case>& cases) {
  const auto single = std::find_if(cases.begin(), cases.end(),
                                   [](const Case& which) { return which.strategy.choice.kind == "single"; });
  const Case& first = single == cases.end() ? cases.front() : *single;
  const bool one = std::all_of(cases.begin(), cases.end(), [&](const Case& which) {
    return which.variant == first.variant && which.global_batch == first.global_batch && which.seed == first.seed;
  });
  if (one) return first;
  throw InputError(
      "the cases differ in settings, batch or seed, but a trace is of one of each: choose one with --filter or --set");
}

std::int64_t steps_of(const Arguments& arguments, const Experiment& experiment) {
  const std::int64_t steps = arguments.steps.value_or(experiment.measure.verify_steps);
  if (steps > 0) return steps;
  throw InputError("measure/verify_steps is 0: nothing would be traced; add --steps 5");
}

}  // namespace

int trace_command(const Arguments& arguments, std::ostream& out, std::ostream& err) {
  const ChosenCases chosen = choose_cases(arguments);
  const Case& which = the_reference(chosen.cases);
  const std::int64_t steps = steps_of(arguments, chosen.experiment);
  announce_devices(chosen.experiment, chosen.devices, err);
  const Experiment experiment = of_case(chosen.experiment, which);
  const Setup setup = prepare(experiment, which);

  using enum Grid::Align;
  Grid grid({right, right, right});
  grid.add({"step", "learning rate", "loss"});
  std::int64_t step = 0;
  try {
    write_training_trace(setup, steps, arguments.output, [&](const TracedStep& done) {
      const std::string loss = format_number(done.loss);
      err << "step " << ++step << " of " << steps << ": loss " << loss << std::endl;
      grid.add({std::to_string(step), format_number(done.learning_rate), loss});
    });
  } catch (const NonFinite& error) {
    err << "ddlbench: " << printable(error.what()) << '\n';
    return exit_code::case_failed;
  }
  out << grid.text(0) << "trace: " << printable(arguments.output) << '\n';
  return exit_code::ok;
}

}  // namespace ddlbench::bench
