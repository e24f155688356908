#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/case/placement.h"
#include "bench/config/experiment.h"
#include "comm/communicator.h"
#include "program/plan.h"

namespace ddlbench::bench {

/// Thrown if a case's plan needs more memory than there is. The message names who needs how much, and how much there
/// is.
class OutOfMemory : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The memory that the ranks of a case may use.
struct MemoryLimits {
  std::optional<std::int64_t> rank_bytes;  ///< per rank, from the configuration
  std::int64_t machine_bytes = 0;          ///< for all ranks of this machine, or of a device, together; 0: unknown
  std::string place = "this machine";      ///< whose memory `machine_bytes` is
};

/// Returns the limits of the experiment and of this machine: its installed memory, or less if its control group has a
/// limit. For devices with memory of their own, only the experiment's limit.
MemoryLimits memory_limits(const Devices& devices);

/// Returns why ranks with these planned peaks, by rank, do not fit, with both numbers; empty if they do. `here` lists
/// the ranks on this machine or device.
std::string why_too_large(const std::vector<std::int64_t>& peak_bytes, const std::vector<int>& here,
                          const MemoryLimits& limits);

/// Does the same for ranks on devices with memory of their own, assigned round-robin to the devices that this process
/// sees. Ranks that are processes may run on many machines, so each alone is compared with the largest device's memory.
std::string why_too_large_apart(const std::vector<std::int64_t>& peak_bytes, const Devices& devices);

/// Returns the planned peak of every rank of a completed plan, in bytes.
std::vector<std::int64_t> peak_bytes_of(const program::Plan& plan);

/// Throws OutOfMemory unless the completed plan fits into the memory of the machines, or of the devices that their
/// ranks share. Collective.
void require_fits(const program::Plan& plan, const Devices& devices, const std::vector<PlacedDevice>& placed,
                  comm::Communicator& communicator);

}  // namespace ddlbench::bench
