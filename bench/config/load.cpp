#include "bench/config/load.h"

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

/// The hash of the file that a model is read from. Throws ConfigError where it cannot be read.
std::string definition_of(const Choice& model, const json::Node& document, const Registries& registries,
                          const std::string& file) {
  const auto& kind = graph::find_named(registries.models, model.kind, "model");
  if (kind.definition == nullptr) return "";
  try {
    return hash_of(kind.definition(model.options));
  } catch (const InputError& error) {
    throw ConfigError({{document.find("workload")->value.find("model")->at, "/workload/model", error.what()}}, file);
  }
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
  experiment.workload.definition = definition_of(experiment.workload.model, *document, registries, file);
  const Carrier& carrier = registries.carrier(experiment.devices.transport);
  experiment.devices.transport = carrier.transport;
  experiment.devices.channel = carrier.channel;
  check_training(experiment, *document, problems);
  check_strategies(experiment, *document, registries, problems);
  if (!problems.empty()) throw ConfigError(std::move(problems), file);
  locate(*document, "", experiment.locations);
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
