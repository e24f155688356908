#include "platform/resident_memory.h"

#include <fstream>
#include <string>

#include "platform/proc_fields.h"

namespace ddlbench::platform {
namespace {

std::int64_t of_status(const std::string& field) {
  return bytes_of_field("/proc/self/status", field).value_or(0);
}

}  // namespace

std::int64_t resident_bytes() {
  return of_status("VmRSS");
}

std::int64_t resident_peak_bytes() {
  return of_status("VmHWM");
}

bool reset_resident_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << 5 << std::flush;
  return file.good();
}

}  // namespace ddlbench::platform
