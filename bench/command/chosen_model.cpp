#include "bench/command/chosen_model.h"

#include <fmt/core.h>
#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/error.h"
#include "base/join.h"
#include "bench/case/setup.h"
#include "bench/config/load.h"
#include "bench/config/option_fields.h"
#include "bench/config/variants.h"
#include "json/suggest.h"

namespace ddlbench::bench {
namespace {

/// Returns the choice for a model: a JSON file becomes the model `graph` with that file.
Choice choice_of(const std::string& model) {
  if (!model.ends_with(".json")) return {model, {}};
  return {"graph", {{"file", model}}};
}

template <class Number>
Number number_of(const std::string& name, const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return value;
  throw InputError(fmt::format("--option {}: expected a number; found \"{}\"", name, text));
}

struct Parse {
  const Option& option;
  const std::string& text;

  OptionValue operator()(bool) const {
    if (text != "true" && text != "false") {
      throw InputError(fmt::format("--option {}: expected true or false; found \"{}\"", option.name, text));
    }
    return text == "true";
  }
  OptionValue operator()(std::int64_t) const { return checked(number_of<std::int64_t>(option.name, text)); }
  OptionValue operator()(double) const { return checked(number_of<double>(option.name, text)); }
  OptionValue operator()(const std::string&) const { return text; }
  /// Parses "512,256", or an empty list.
  OptionValue operator()(const Integers&) const {
    Integers list;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');)
      list.push_back(Parse{option, part}.checked(number_of<std::int64_t>(option.name, part)));
    return list;
  }
  template <class Other>
  OptionValue operator()(const Other&) const {
    throw ContractError("a model setting has an unsupported type");
  }

  template <class Number>
  Number checked(Number value) const {
    const auto wide = static_cast<double>(value);
    if (wide >= option.minimum && wide <= option.maximum) return value;
    throw InputError(
        fmt::format("--option {}: expected {}; found \"{}\"", option.name, to_field(option).wanted(), text));
  }
};

/// Applies settings, each "NAME=VALUE".
void apply(const std::vector<std::string>& settings, const workloads::ModelKind& kind, OptionValues& options) {
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    const std::string name = setting.substr(0, equals);
    const auto known = std::find_if(kind.options.begin(), kind.options.end(),
                                    [&](const Option& option) { return option.name == name; });
    if (known == kind.options.end()) {
      std::vector<std::string> names;
      for (const Option& option : kind.options) names.push_back(option.name);
      throw InputError(
          fmt::format("--option {}: unknown setting of {} {}", name, kind.name,
                      names.empty() ? "(it has no settings)" : json::suggestion(name, names, "available")));
    }
    if (equals == std::string::npos) throw InputError("--option " + name + ": expected NAME=VALUE");
    options[name] = std::visit(Parse{*known, setting.substr(equals + 1)}, known->default_value);
  }
}

graph::Shape shape_of(const std::string& text) {
  graph::Shape shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at <= end) {
    std::int64_t size = 0;
    const auto [after, error] = std::from_chars(at, end, size);
    const bool more = after != end;
    if (error != std::errc{} || size < 1 || size > (std::int64_t{1} << 32) || (more && *after != 'x')) {
      throw InputError("--input " + text + ": expected the sizes of one sample, such as 3x224x224, or 1024 for text");
    }
    shape.push_back(size);
    if (!more) break;
    at = after + 1;
  }
  return shape;
}

void apply_shape(const Arguments& arguments, workloads::SampleShape& shape) {
  if (!arguments.input.empty()) {
    shape.sample.shape = shape_of(arguments.input);
    if (shape.is_text()) shape.label = shape.sample.shape;
  }
  if (arguments.classes) shape.classes = *arguments.classes;
}

/// Returns the index of the first variant whose model is named; 0 if none matches.
std::size_t variant_of(const Experiment& experiment, const std::string& model) {
  const std::vector<Variant>& all = experiment.variants;
  std::vector<std::string> models;  ///< labels, each once
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].workload.model.kind == model) return i;
    const std::string& label = all[i].workload.derived.label;
    if (std::find(models.begin(), models.end(), label) == models.end()) models.push_back(label);
  }
  if (model.empty() && models.size() > 1) {
    throw InputError(
        fmt::format("the experiment has {} models: choose a model from {}", models.size(), joined(models)));
  }
  return 0;
}

}  // namespace

ChosenModel choose_model(const Arguments& arguments) {
  if (arguments.model.empty() && arguments.config.empty()) {
    throw InputError("no model given: give a model name, a JSON model file, or an experiment with --config FILE");
  }
  Choice choice = choice_of(arguments.model);
  workloads::ModelRequest request;
  const bool of_experiment = !arguments.config.empty();
  if (of_experiment) {
    const Experiment all = load_experiment(arguments.config, arguments.overrides, real_registries());
    const Experiment experiment = of_variant(all, variant_of(all, arguments.model));
    if (arguments.model.empty()) choice = experiment.workload.model;
    request.shape = open_data(experiment).training->shape();
    request.batch = experiment.workload.least_batch();
  }
  const workloads::ModelKind& kind = workloads::find_model(choice.kind);
  apply(arguments.options, kind, choice.options);
  request.options = with_defaults(kind.options, choice.options);
  if (!of_experiment) {
    request.shape = kind.default_sample(request.options);
    request.batch = 1;
  }
  apply_shape(arguments, request.shape);
  if (arguments.batch) request.batch = *arguments.batch;
  return {kind, std::move(request)};
}

}  // namespace ddlbench::bench
