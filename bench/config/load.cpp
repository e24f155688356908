#include "bench/config/load.h"

#include <fmt/core.h>
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
#include "bench/config/check_throttle.h"
#include "bench/config/check_training.h"
#include "bench/config/experiment_of.h"
#include "bench/config/fields.h"
#include "bench/config/missing_path.h"
#include "bench/config/override.h"
#include "bench/config/resolve.h"
#include "bench/config/sweep.h"
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

/// Computes the hashes of the files that models are read from, each model once.
void note_definitions(Experiment& experiment, const Registries& registries, std::vector<json::Problem>& problems) {
  std::map<std::string, std::string> known;  ///< hashes, by label: it has all settings that differ from their defaults
  for (Variant& one : experiment.variants) {
    const Choice& model = one.workload.model;
    const auto& kind = find_named(registries.models, model.kind, "model");
    if (kind.definition == nullptr) continue;
    const auto [found, is_new] = known.try_emplace(one.workload.derived.label);
    try {
      if (is_new) found->second = hexadecimal(fnv1a(kind.definition(model.options)));
    } catch (const InputError& error) {
      const std::string pointer = one.pointer_of("/workload/model");
      problems.push_back({location_of(experiment.locations, pointer), pointer,
                          error.what() + missing_path_note(model, experiment.sources.file)});
    }
    one.workload.derived.definition = found->second;
  }
  experiment.workload = experiment.variants.front().workload;
}

/// Reports combinations of settings that occur twice, where they differ in what was written.
void check_variants(const Experiment& experiment, std::vector<json::Problem>& problems) {
  std::map<std::string_view, const Variant*> known;  ///< by resolved configuration
  for (const Variant& one : experiment.variants) {
    const auto [same, is_new] = known.emplace(one.resolved, &one);
    if (is_new) continue;
    const auto& [axes, others] = std::pair(one.axes, same->second->axes);
    std::size_t i = 0;
    while (i + 1 < axes.size() && i + 1 < others.size() && axes[i].pointer == others[i].pointer) ++i;
    const bool is_workload = axes[i].setting.starts_with("/workload");
    // A workload is shown by its model, which may be one of several.
    const std::string pointer = is_workload ? one.pointer_of("/workload/model") : axes[i].pointer;
    const std::string other = is_workload ? same->second->pointer_of("/workload/model") : others[i].pointer;
    problems.push_back({location_of(experiment.locations, pointer), pointer,
                        fmt::format("the same {} as {}", is_workload ? "workload" : "settings", other)});
  }
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
  Sweep sweep = sweep_of(resolved, table, locations, problems);
  if (!problems.empty()) throw ConfigError(std::move(problems), sources);
  require_few_cases(resolved, table, registries, sweep.zips, locations, sources);
  Experiment experiment = experiment_of(resolved, table, registries, std::move(sweep));
  experiment.sources = sources;
  experiment.locations = std::move(locations);
  note_definitions(experiment, registries, problems);
  check_variants(experiment, problems);
  check_training(experiment, problems);
  check_throttle(experiment, registries, problems);
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
