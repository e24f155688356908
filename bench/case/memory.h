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

/// A case's plan wants more memory than there is. Says who wants how much, and how much there is.
class OutOfMemory : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How much memory the ranks of a case may have.
struct MemoryLimits {
  std::optional<std::int64_t> rank_bytes;  ///< each rank, as the configuration says
  std::int64_t machine_bytes = 0;          ///< all ranks of this machine, or of a device, together; 0: not known
  std::string place = "this machine";      ///< whose memory that is
};

/// As the experiment says and this machine is: its memory, or less where its control group has a limit. Of devices
/// apart from the host only what the experiment says.
MemoryLimits memory_limits(const Devices& devices);

/// Why ranks with these planned peaks, by rank, do not fit, with both numbers; empty where they do. `here`:
/// the ranks on this machine or device.
std::string why_too_large(const std::vector<std::int64_t>& peak_bytes, const std::vector<int>& here,
                          const MemoryLimits& limits);

/// The same of ranks on devices apart from the host, as they would be dealt over those that this process sees. Of ranks
/// that are processes, which may be on many machines, each is held alone against the device with the most memory.
std::string why_too_large_apart(const std::vector<std::int64_t>& peak_bytes, const Devices& devices);

/// Of every rank of a completed plan.
std::vector<std::int64_t> peak_bytes_of(const program::Plan& plan);

/// Throws OutOfMemory unless the completed plan fits into the machines' memory, or into that of the devices apart from
/// them, which their ranks share. Collective.
void require_fits(const program::Plan& plan, const Devices& devices, const std::vector<PlacedDevice>& placed,
                  comm::Communicator& communicator);

}  // namespace ddlbench::bench
