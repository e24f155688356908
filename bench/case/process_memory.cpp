#include "bench/case/process_memory.h"

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "bench/case/gather.h"
#include "bench/case/proc_fields.h"
#include "kernels/heap.h"
#include "kernels/host_memory.h"

namespace ddlbench::bench {
namespace {

std::int64_t of_status(const std::string& field) {
  return bytes_of_field("/proc/self/status", field).value_or(0);
}

/// One rank's view of its process, as it travels.
struct View {
  std::int64_t planned;  ///< by devices that are the host's own, and this rank's loaders
  std::int64_t loader, heap_peak, case_heap_peak, resident_peak, case_resident_peak, base;
  std::int64_t excess() const { return resident_peak - planned; }
};

}  // namespace

std::int64_t resident_bytes() {
  return of_status("VmRSS");
}

std::int64_t resident_peak_bytes() {
  return of_status("VmHWM");
}

bool begin_resident_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << 5 << std::flush;
  return file.good();
}

ProcessMemory::ProcessMemory() : base_bytes_(resident_bytes()) {}

void ProcessMemory::begin_training() {
  ::malloc_trim(0);
  heap_before_ = kernels::heap_peak_bytes();
  resident_before_ = resident_peak_bytes();
  kernels::begin_heap_peak();
  begun_ = begin_resident_peak();
}

HostMemoryRecord ProcessMemory::gather(Trainer& trainer, bool ranks_are_processes) const {
  View own{};
  own.loader = trainer.loader_bytes();
  own.planned = kernels::host_device_bytes() + own.loader;
  own.heap_peak = kernels::heap_peak_bytes();
  own.case_heap_peak = std::max(heap_before_, own.heap_peak);
  own.resident_peak = resident_peak_bytes();
  own.case_resident_peak = std::max(resident_before_, own.resident_peak);
  own.base = base_bytes_;
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
  if (begun_) {
    record.resident_peak_bytes = most.resident_peak;
    record.resident_excess_bytes = most.excess();
  }
  if (kernels::heap_is_counted()) {
    record.heap_peak_bytes = most.heap_peak;
    record.case_heap_peak_bytes = most.case_heap_peak;
  }
  return record;
}

}  // namespace ddlbench::bench
