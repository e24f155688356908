#include "platform/processor.h"

#include <fstream>

#include "base/hash.h"

namespace ddlbench::platform {
namespace {

/// Of the first processor; empty where the system does not tell it.
std::string processor_field(const std::string& field) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (colon != std::string::npos && line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1) == field) {
      return line.substr(colon + 2);
    }
  }
  return "";
}

}  // namespace

std::string processor_name() {
  const std::string name = processor_field("model name");
  return name.empty() ? "unknown processor" : name;
}

std::string processor_identity() {
  return processor_name() + " " + processor_field("cpu family") + "/" + processor_field("model") + "/" +
         processor_field("stepping") + ", features " + hexadecimal(fnv1a(processor_field("flags")));
}

}  // namespace ddlbench::platform
