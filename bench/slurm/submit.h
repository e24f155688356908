#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "bench/slurm/batch_script.h"

namespace ddlbench::bench {

/// Writes the scripts of a study, the experiment that they run and the list of jobs into STUDY/slurm. Replaces those of
/// an earlier call, unless jobs were submitted since: if these are not all of them, as after an error of sbatch, and
/// nothing would change, keeps the files; otherwise throws InputError.
void write_study(const std::string& study, const std::string& experiment, const std::string& resolved_experiment,
                 const std::vector<BatchScript>& scripts);

/// Submits the scripts of a study with sbatch, except those that were submitted before, and writes the id of each job
/// into the list before it submits the next. Tells `notes` each id. Throws InputError, with sbatch's own message, at
/// the first script that sbatch refuses.
void submit_study(const std::string& study, std::ostream& notes);

}  // namespace ddlbench::bench
