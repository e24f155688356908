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

/// What a machine has counted since it started.
struct MachineCounters {
  /// Of all its cores, in clock ticks; what a hypervisor took is in `total` alone.
  std::int64_t user = 0, system = 0, idle = 0, iowait = 0, total = 0;
  /// Over all interfaces but the loopback, and over that one.
  std::int64_t received_bytes = 0, sent_bytes = 0, loopback_bytes = 0;
};

/// `proc`: where the kernel tells, but for tests. What it does not tell stays 0.
MachineCounters read_counters(const std::string& proc = "/proc");

/// Looks once a second at what a case takes of its machine, from outside.
class UtilisationSampler {
 public:
  using Clock = std::chrono::steady_clock;

  /// `root`: the process that started all of the case's. `gpus`: those that it uses, by PCI bus id.
  UtilisationSampler(std::string case_id, pid_t root, std::vector<std::string> gpus = {});

  /// A sample of now, and of the time since the one before.
  UtilisationRecord sample();
  /// The same, if there is none yet or a second has passed since.
  std::optional<UtilisationRecord> sample_if_due();

 private:
  std::string case_id_;
  pid_t root_;
  Clock::time_point begin_ = Clock::now();
  std::optional<Clock::time_point> last_;
  MachineCounters before_;
  std::vector<std::string> gpus_;
  std::unique_ptr<platform::Nvml> nvml_;  ///< where there are GPUs to look at
};

}  // namespace ddlbench::bench
