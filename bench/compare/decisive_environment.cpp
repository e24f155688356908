#include "bench/compare/decisive_environment.h"

#include <initializer_list>
#include <set>
#include <string>

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

Json gpu_names_in(const Json& environment) {
  Json names = Json::array();
  if (!environment.contains("gpu")) return names;
  for (const Json& gpu : environment["gpu"].value("gpus", Json::array())) names.push_back(gpu.value("name", ""));
  return names;
}

/// Returns OpenMP's variable for binding, which decides whether ranks are bound to cores.
Json binding_in(const Json& environment) {
  return part_of(environment.value("openmp_variables", Json::object()), {"OMP_PROC_BIND"});
}

}  // namespace

Json machine_kind_in(const Json& environment) {
  Json part = part_of(environment, {"architecture", "cpu"});
  part["openmp_variables"] = binding_in(environment);
  part["gpus"] = gpu_names_in(environment).get<std::set<std::string>>();
  return part;
}

Json machine_in(const Json& environment) {
  Json part = part_of(environment, {"architecture", "cpu", "usable_cores", "processor_quota_cores"});
  part["openmp_variables"] = binding_in(environment);
  part["gpus"] = gpu_names_in(environment);
  return part;
}

Json program_in(const Json& environment) {
  return part_of(environment, {"build", "libraries"});
}

}  // namespace ddlbench::bench
