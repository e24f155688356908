#include "bench/compare/decisive_environment.h"

#include <initializer_list>

namespace ddlbench::bench {
namespace {

using Json = nlohmann::json;

Json part_of(const Json& environment, std::initializer_list<const char*> keys) {
  Json part = Json::object();
  for (const char* key : keys) {
    if (environment.contains(key)) part[key] = environment[key];
  }
  return part;
}

}  // namespace

Json machine_in(const Json& environment) {
  Json part = part_of(environment, {"architecture", "cpu", "usable_cores", "processor_quota_cores"});
  part["gpus"] = Json::array();
  if (!environment.contains("gpu")) return part;
  for (const Json& gpu : environment["gpu"].value("gpus", Json::array())) part["gpus"].push_back(gpu.value("name", ""));
  return part;
}

Json program_in(const Json& environment) {
  return part_of(environment, {"build", "libraries"});
}

}  // namespace ddlbench::bench
