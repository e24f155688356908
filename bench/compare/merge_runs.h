#pragma once

#include <string>
#include <vector>

namespace ddlbench::bench {

/// What a merged folder has.
struct MergedRuns {
  std::size_t planned = 0;   ///< cases of all runs
  std::size_t ended = 0;     ///< of them
  std::size_t machines = 1;  ///< kinds of machines
};

/// Joins the runs in `folders` (shards of a sweep, jobs of a study) in the new folder `output`: journal, tables, logs
/// and traces. A case that did not run to its end in one folder and did in another is taken from the latter.
///
/// Runs on machines of different kinds (machine_kind_in()) stay apart: the ids of their cases and contracts get the
/// name of the host of the first run on such a machine, "003-ddp-r2@node7", so that they are never ranked together.
///
/// Throws InputError that names the folders if a run goes on, if two runs have the same case and both ended, or if
/// configurations or, unless `accept_changes`, programs differ.
MergedRuns merge_runs(const std::vector<std::string>& folders, const std::string& output, bool accept_changes);

}  // namespace ddlbench::bench
