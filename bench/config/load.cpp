#include "bench/config/load.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench/config/check_config.h"
#include "bench/config/check_strategies.h"
#include "bench/config/experiment_of.h"
#include "bench/config/fields.h"
#include "bench/config/json_reader.h"
#include "bench/config/override.h"
#include "bench/config/pointer.h"
#include "bench/config/resolve.h"

namespace ddlbench::bench {
namespace {

void locate(const JsonNode& node, const std::string& pointer, std::map<std::string, Location>& locations) {
  locations[pointer] = node.at;
  for (const auto& member : node.members) locate(member.value, child(pointer, member.key), locations);
  for (std::size_t i = 0; i < node.elements.size(); ++i) locate(node.elements[i], child(pointer, i), locations);
}

}  // namespace

Experiment parse_experiment(const std::string& text, const std::string& file, const std::vector<std::string>& overrides,
                            const Registries& registries) {
  const Field table = experiment_fields(registries);
  std::vector<Problem> problems;
  auto document = read_json(text, problems);
  if (!document) throw ConfigError(std::move(problems), file);
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    apply_override(*document, table, overrides[i], static_cast<int>(i) + 1, problems);
  }
  check_config(*document, table, problems);
  if (!problems.empty()) throw ConfigError(std::move(problems), file);

  Experiment experiment = experiment_of(resolve(*document, table), table);
  experiment.file = file;
  const Carrier& carrier = registries.carrier(experiment.devices.transport);
  experiment.devices.transport = carrier.transport;
  experiment.devices.channel = carrier.channel;
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
