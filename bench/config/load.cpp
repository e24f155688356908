#include "bench/config/load.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench/config/check_config.h"
#include "bench/config/check_strategies.h"
#include "bench/config/check_training.h"
#include "bench/config/experiment_of.h"
#include "bench/config/fields.h"
#include "bench/config/override.h"
#include "bench/config/resolve.h"
#include "bench/config/workloads.h"
#include "bench/records/digest.h"
#include "graph/names.h"
#include "json/pointer.h"
#include "json/read.h"

namespace ddlbench::bench {
namespace {

void locate(const json::Node& node, const std::string& pointer, std::map<std::string, json::Location>& locations) {
  locations[pointer] = node.at;
  for (const auto& member : node.members) locate(member.value, json::child(pointer, member.key), locations);
  for (std::size_t i = 0; i < node.elements.size(); ++i) locate(node.elements[i], json::child(pointer, i), locations);
}

/// What is wrong for several workloads is told once.
std::vector<json::Problem> without_repeats(std::vector<json::Problem> problems) {
  std::vector<json::Problem> kept;
  for (json::Problem& problem : problems) {
    const auto same = [&](const json::Problem& other) {
      return other.pointer == problem.pointer && other.what == problem.what;
    };
    if (std::none_of(kept.begin(), kept.end(), same)) kept.push_back(std::move(problem));
  }
  return kept;
}

/// Notes the hashes of the files that models are read from, and what stands twice.
void check_workloads(Experiment& experiment, const Registries& registries, std::vector<json::Problem>& problems) {
  std::vector<WorkloadChoice>& all = experiment.workloads;
  const auto refuse = [&](const WorkloadChoice& one, std::string what) {
    problems.push_back({location_of(experiment.locations, one.model_pointer), one.model_pointer, std::move(what)});
  };
  for (auto one = all.begin(); one != all.end(); ++one) {
    const Choice& model = one->workload.model;
    const auto& kind = graph::find_named(registries.models, model.kind, "model");
    try {
      if (kind.definition != nullptr) one->workload.definition = hash_of(kind.definition(model.options));
    } catch (const InputError& error) {
      refuse(*one, error.what());
    }
    const auto same =
        std::find_if(all.begin(), one, [&](const auto& other) { return other.resolved == one->resolved; });
    if (same != one) refuse(*one, "the same workload as " + same->model_pointer);
  }
  experiment.workload = all.front().workload;
}

}  // namespace

Experiment parse_experiment(const std::string& text, const std::string& file, const std::vector<std::string>& overrides,
                            const Registries& registries) {
  const Field table = experiment_fields(registries);
  std::vector<json::Problem> problems;
  auto document = json::read(text, problems);
  if (!document) throw ConfigError(std::move(problems), file);
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    apply_override(*document, table, overrides[i], static_cast<int>(i) + 1, problems);
  }
  check_config(*document, table, problems);
  if (!problems.empty()) throw ConfigError(std::move(problems), file);

  Experiment experiment = experiment_of(resolve(*document, table), table);
  experiment.file = file;
  locate(*document, "", experiment.locations);
  check_workloads(experiment, registries, problems);
  const Carrier& carrier = registries.carrier(experiment.devices.transport);
  experiment.devices.transport = carrier.transport;
  experiment.devices.channel = carrier.channel;
  for (std::size_t i = 0; i < experiment.workloads.size(); ++i)
    check_training(of_workload(experiment, i), *document, problems);
  check_strategies(experiment, *document, registries, problems);
  if (!problems.empty()) throw ConfigError(without_repeats(std::move(problems)), file);
  return experiment;
}

Experiment load_experiment(const std::string& file, const std::vector<std::string>& overrides,
                           const Registries& registries) {
  if (std::filesystem::is_directory(file)) throw InputError(file + " is a folder, and no configuration");
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in.is_open() || in.bad()) throw InputError(file + ": cannot be read: " + std::strerror(errno));
  if (text.str().empty()) throw InputError(file + ": is empty");
  return parse_experiment(text.str(), file, overrides, registries);
}

}  // namespace ddlbench::bench
