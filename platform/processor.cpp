#include "platform/processor.h"

#include <fmt/core.h>

#include "base/hash.h"
#include "platform/proc_fields.h"

namespace ddlbench::platform {
namespace {

/// Returns a field of the first processor; empty if the system does not report it.
std::string processor_field(const std::string& field) {
  return text_of_field("/proc/cpuinfo", field).value_or("");
}

}  // namespace

std::string processor_name() {
  const std::string name = processor_field("model name");
  return name.empty() ? "unknown processor" : name;
}

std::string processor_identity() {
  return fmt::format("{} {}/{}/{}, features {}", processor_name(), processor_field("cpu family"),
                     processor_field("model"), processor_field("stepping"),
                     hexadecimal(fnv1a(processor_field("flags"))));
}

}  // namespace ddlbench::platform
