#pragma once

#include <string>
#include <vector>

#include "bench/slurm/study.h"

namespace ddlbench::bench {

/// A batch script of a study.
struct BatchScript {
  std::string name;            ///< "ranks-4", "array" or "all-ranks"; the file is NAME.sh in slurm_folder()
  std::vector<StudyJob> jobs;  ///< those that it runs: one, or the tasks of an array in their order
  std::string text;
};

/// Returns the scripts that run these jobs of an experiment. Each starts with its options of sbatch and a comment for
/// each part. It
///   - runs ddlbench, which starts the ranks of a case within the allocation; continues a folder with a journal;
///   - passes SIGUSR2, which Slurm sends a minute before the time limit, and SIGTERM on to ddlbench;
///   - is requeued after a time-out, at most three times, and after each preemption. A time-out is SIGUSR2, or the end
///     of ddlbench by itself because no further case fits into its time limit.
/// Throws InputError if a text cannot stand in an option of sbatch.
std::vector<BatchScript> batch_scripts(const std::string& experiment, const std::vector<StudyJob>& jobs,
                                       const StudyRequest& request);

/// Returns a text as one word of a shell.
std::string shell_word(const std::string& text);

}  // namespace ddlbench::bench
