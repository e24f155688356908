#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/slurm/given_allocation.h"

namespace ddlbench::bench {

/// The end of the Slurm job in which this process runs.
struct JobEnd {
  std::optional<double> seconds_left = {};  ///< above 0; nothing if Slurm does not tell it
  std::string ignored = {};                 ///< why SLURM_JOB_END_TIME is ignored; empty if it is not
};

/// Reads SLURM_JOB_END_TIME, the seconds from 1970 to the job's time limit. `now`: the same for the present. Ignores a
/// text that is no such number, and a time in the past, which a shell has from a job that has ended.
JobEnd job_end(const Environment& environment, std::int64_t now);

}  // namespace ddlbench::bench
