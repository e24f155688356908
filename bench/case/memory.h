#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/config/experiment.h"
#include "comm/communicator.h"
#include "program/plan.h"

namespace ddlbench::bench {

/// A case's plan wants more memory than there is. Says who wants how much, and how much there is.
class OutOfMemory : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How much memory the ranks of a case may have.
struct MemoryLimits {
  std::optional<std::int64_t> rank_bytes;  ///< each rank, as the configuration says
  std::int64_t machine_bytes = 0;          ///< all ranks of this machine together; 0: not known
};

/// As the experiment says and this machine is: its memory, or less where its control group has a limit.
MemoryLimits memory_limits(const Devices& devices);

/// Why ranks with these planned peaks, by rank, do not fit, with both numbers; empty where they do. `here`:
/// the ranks on this machine.
std::string why_too_large(const std::vector<std::int64_t>& peak_bytes, const std::vector<int>& here,
                          const MemoryLimits& limits);

/// Of every rank of a completed plan.
std::vector<std::int64_t> peak_bytes_of(const program::Plan& plan);

/// Throws OutOfMemory unless the completed plan fits. Collective.
void require_fits(const program::Plan& plan, const Devices& devices, comm::Communicator& communicator);

}  // namespace ddlbench::bench
