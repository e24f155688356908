#include "bench/case/process_memory.h"

#include <malloc.h>

#include <algorithm>
#include <vector>

#include "bench/case/gather.h"
#include "platform/heap.h"
#include "platform/host_memory.h"
#include "platform/resident_memory.h"

namespace ddlbench::bench {
namespace {

/// One rank's view of its process, as it is sent.
struct View {
  std::int64_t planned;  ///< by devices that use host memory, and by this rank's loaders
  std::int64_t loader, heap_peak, case_heap_peak, resident_peak, case_resident_peak, base;
  bool has_resident_peak;  ///< its resident peak was reset when training began
  bool has_heap_peak;
  std::int64_t excess() const { return resident_peak - planned; }
};

}  // namespace

ProcessMemory::ProcessMemory() : base_bytes_(platform::resident_bytes()) {}

void ProcessMemory::begin_training(Trainer& trainer) {
  comm::run(trainer.communicator().barrier());
  if (trainer.setup().experiment.devices.ranks_are_processes() || trainer.rank() == 0) {
    ::malloc_trim(0);
    heap_before_ = platform::heap_peak_bytes();
    resident_before_ = platform::resident_peak_bytes();
    platform::reset_heap_peak();
    begun_ = platform::reset_resident_peak();
  }
  comm::run(trainer.communicator().barrier());
}

HostMemoryRecord ProcessMemory::gather(Trainer& trainer) const {
  const bool ranks_are_processes = trainer.setup().experiment.devices.ranks_are_processes();
  View own{};
  own.loader = trainer.loader_bytes();
  own.planned = platform::host_device_bytes() + own.loader;
  own.heap_peak = platform::heap_peak_bytes();
  own.case_heap_peak = std::max(heap_before_, own.heap_peak);
  own.resident_peak = platform::resident_peak_bytes();
  own.case_resident_peak = std::max(resident_before_, own.resident_peak);
  own.base = base_bytes_;
  own.has_resident_peak = begun_;
  own.has_heap_peak = platform::heap_is_counted();
  std::vector<View> processes;
  for (const auto& rank : all_gather(trainer.communicator(), std::vector<View>{own})) {
    if (ranks_are_processes || processes.empty()) {
      processes.push_back(rank.at(0));
    } else {
      processes[0].loader += rank.at(0).loader;
      processes[0].planned += rank.at(0).loader;
    }
  }
  const View& most = *std::max_element(processes.begin(), processes.end(),
                                       [](const View& a, const View& b) { return a.excess() < b.excess(); });
  HostMemoryRecord record;
  record.loader_bytes = most.loader;
  record.resident_base_bytes = most.base;
  record.case_resident_peak_bytes = most.case_resident_peak;
  if (most.has_resident_peak) {
    record.resident_peak_bytes = most.resident_peak;
    record.resident_excess_bytes = most.excess();
  }
  if (most.has_heap_peak) {
    record.heap_peak_bytes = most.heap_peak;
    record.case_heap_peak_bytes = most.case_heap_peak;
  }
  return record;
}

}  // namespace ddlbench::bench
