#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/records/record.h"
#include "platform/nvml.h"

namespace ddlbench::bench {

/// A machine's counters since it booted.
struct MachineCounters {
  /// Clock ticks over all cores; time stolen by a hypervisor is in `total` only.
  std::int64_t user = 0, system = 0, idle = 0, iowait = 0, total = 0;
  /// Received and sent bytes over all interfaces except loopback, and bytes over loopback.
  std::int64_t received_bytes = 0, sent_bytes = 0, loopback_bytes = 0;
};

/// Reads the counters. `proc` is the folder of the kernel's files, which tests replace. Counters that are missing there
/// stay 0.
MachineCounters read_counters(const std::string& proc = "/proc");

/// Samples once a second, from outside, which resources of its machine a case uses.
class UtilisationSampler {
 public:
  using Clock = std::chrono::steady_clock;

  /// `root` is the ancestor of all processes of the case. `gpus` are the PCI bus ids of the GPUs that it uses.
  UtilisationSampler(std::string case_id, pid_t root, std::vector<std::string> gpus = {});

  /// Takes a sample: current values, and rates since the previous sample.
  UtilisationRecord sample();
  /// Does the same if there is no sample yet or the last one is at least a second old.
  std::optional<UtilisationRecord> sample_if_due();

 private:
  std::string case_id_;
  pid_t root_;
  Clock::time_point begin_ = Clock::now();
  std::optional<Clock::time_point> last_;
  MachineCounters before_;
  std::vector<std::string> gpus_;
  std::unique_ptr<platform::Nvml> nvml_;  ///< set if there are GPUs to sample
};

}  // namespace ddlbench::bench
