#pragma once

#include "bench/page/html.h"
#include "bench/page/run_results.h"

/// The sections of a page, one function per section, each in a file of its name. They are pure functions of the results
/// and return the section without its heading: nothing if there is nothing to show. page.cpp lists them in order.
namespace ddlbench::bench {

/// Model, data and machine.
Html question_section(const RunResults& results);
/// The recommendation and the warnings (bench/report), and the intervals of the ranked cases.
Html verdict_section(const RunResults& results);
/// The step times of the cases in each round of their contract.
Html rounds_section(const RunResults& results);
/// Strategies over the seeds of contracts that differ in the seed alone (bench/report/seeds.h).
Html seeds_section(const RunResults& results);
/// All cases.
Html table_section(const RunResults& results);
/// Epoch time and speedup against ranks, at a constant global batch.
Html ranks_section(const RunResults& results);
/// Step time against ranks, at a constant batch per rank.
Html weak_scaling_section(const RunResults& results);
/// Memory by class, of the rank that has the most.
Html memory_section(const RunResults& results);
/// Accuracy or loss against time and epochs.
Html learning_section(const RunResults& results);
/// The parts of a step's time.
Html budget_section(const RunResults& results);
/// Predicted against measured step time.
Html prediction_section(const RunResults& results);
/// One measured step of some cases, from their traces.
Html schedule_section(const RunResults& results);
/// The load of the machine while each case ran.
Html utilisation_section(const RunResults& results);
/// Cases that did not end as they should, and why.
Html failures_section(const RunResults& results);
/// environment.json.
Html environment_section(const RunResults& results);
/// The commands that repeat the run and write the page.
Html repeat_section(const RunResults& results);

}  // namespace ddlbench::bench
