#include "bench/config/load.h"

#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "base/names.h"
#include "bench/config/case_count.h"
#include "bench/config/check_config.h"
#include "bench/config/check_strategies.h"
#include "bench/config/check_training.h"
#include "bench/config/experiment_of.h"
#include "bench/config/fields.h"
#include "bench/config/missing_path.h"
#include "bench/config/override.h"
#include "bench/config/resolve.h"
#include "bench/config/workloads.h"
#include "bench/records/installed.h"
#include "json/pointer.h"
#include "json/read.h"
#include "json/read_file.h"

namespace ddlbench::bench {
namespace {

void locate(const json::Node& node, const std::string& pointer, std::map<std::string, json::Location>& locations) {
  locations[pointer] = node.at;
  for (const auto& member : node.members) locate(member.value, json::child(pointer, member.key), locations);
  for (std::size_t i = 0; i < node.elements.size(); ++i) locate(node.elements[i], json::child(pointer, i), locations);
}

/// Removes duplicates, so that a problem of several workloads is reported once.
std::vector<json::Problem> without_repeats(std::vector<json::Problem> problems) {
  std::set<std::pair<std::string, std::string>> told;
  std::vector<json::Problem> kept;
  for (json::Problem& problem : problems) {
    if (told.emplace(problem.pointer, problem.what).second) kept.push_back(std::move(problem));
  }
  return kept;
}

/// Computes the hashes of the files that models are read from. Reports workloads that are listed twice.
void check_workloads(Experiment& experiment, const Registries& registries, std::vector<json::Problem>& problems) {
  std::vector<WorkloadChoice>& all = experiment.workloads;
  const auto report = [&](const WorkloadChoice& one, std::string what) {
    problems.push_back({location_of(experiment.locations, one.model_pointer), one.model_pointer, std::move(what)});
  };
  std::map<std::string_view, std::string_view> known;  ///< from a resolved workload to the pointer of its model
  for (WorkloadChoice& one : all) {
    const Choice& model = one.workload.model;
    const auto& kind = find_named(registries.models, model.kind, "model");
    try {
      if (kind.definition != nullptr)
        one.workload.derived.definition = hexadecimal(fnv1a(kind.definition(model.options)));
    } catch (const InputError& error) {
      report(one, error.what() + missing_path_note(model, experiment.sources.file));
    }
    const auto [same, is_new] = known.emplace(one.resolved, one.model_pointer);
    if (!is_new) report(one, "the same workload as " + std::string(same->second));
  }
  experiment.workload = all.front().workload;
}

std::string text_of(const std::string& file) {
  try {
    return json::read_file(file);
  } catch (const InputError& error) {
    throw InputError(error.what() + note_of_installed(file, installed_data_folder()));
  }
}

/// Returns the text on standard input. It can be read only once, but a command may ask for its experiment again.
const std::string& standard_input() {
  static const std::string text = [] {
    std::string all = json::read_file("/dev/stdin");
    if (all.empty()) throw InputError("standard input is empty, but the experiment is to be read from it");
    return all;
  }();
  return text;
}

}  // namespace

Experiment parse_experiment(const std::string& text, const std::string& file, const std::vector<std::string>& overrides,
                            const Registries& registries) {
  const json::Sources sources(file, overrides);
  const Field table = experiment_fields(registries);
  std::vector<json::Problem> problems;
  auto document = json::read(text, problems);
  if (!document) throw ConfigError(std::move(problems), sources);
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    apply_override(*document, table, overrides[i], static_cast<int>(i) + 1, problems);
  }
  check_config(*document, table, problems);
  if (!problems.empty()) throw ConfigError(std::move(problems), sources);

  std::map<std::string, json::Location> locations;
  locate(*document, "", locations);
  const auto resolved = resolve(*document, table);
  require_few_cases(resolved, registries, locations, sources);
  Experiment experiment = experiment_of(resolved, table, registries);
  experiment.sources = sources;
  experiment.locations = std::move(locations);
  check_workloads(experiment, registries, problems);
  for (std::size_t i = 0; i < experiment.workloads.size(); ++i)
    check_training(of_workload(experiment, i), *document, problems);
  check_strategies(experiment, *document, registries, problems);
  if (!problems.empty()) throw ConfigError(without_repeats(std::move(problems)), sources);
  return experiment;
}

Experiment load_experiment(const std::string& file, const std::vector<std::string>& overrides,
                           const Registries& registries) {
  if (file == "-") return parse_experiment(standard_input(), "standard input", overrides, registries);
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) throw InputError(file + " is a folder, not a configuration file");
  const std::string text = text_of(file);
  if (text.empty()) throw InputError(file + ": is empty");
  return parse_experiment(text, file, overrides, registries);
}

}  // namespace ddlbench::bench
