#include "bench/config/case_id.h"

#include <fmt/core.h>
#include <algorithm>
#include <set>

namespace ddlbench::bench {
namespace {

bool belongs_to(const AxisValue& axis, const std::string& setting) {
  return axis.setting == setting || axis.setting.starts_with(setting + "/");
}

/// Returns "-" and the text as part of an id: "-workers4" for "workers=4", "-overlap_true" for "overlap=true".
std::string part(const std::string& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool keeps = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' || c == '.';
    const bool before_number = c == '=' && i + 1 < text.size() && is_digit(text[i + 1]);
    if (!before_number) plain += keeps ? c : '_';
  }
  return plain.empty() ? "" : "-" + plain;
}

template <class Chosen>
std::string parts(const std::vector<AxisValue>& axes, const Chosen& chosen) {
  std::string text;
  for (const AxisValue& axis : axes)
    if (chosen(axis)) text += part(axis.text);
  return text;
}

/// Returns whether this is a choice of the workload or its model, which ids name by the model.
bool names_model(const AxisValue& axis) {
  return axis.setting == "/workload" || axis.setting == "/workload/model";
}

}  // namespace

Varying varying_in(const Experiment& experiment) {
  std::set<std::int64_t> batches(experiment.workload.batches().begin(), experiment.workload.batches().end());
  Varying varying;
  for (const Variant& one : experiment.variants) {
    batches.insert(one.workload.batches().begin(), one.workload.batches().end());
    varying.workload = varying.workload || std::any_of(one.axes.begin(), one.axes.end(), [](const AxisValue& axis) {
                         return names_model(axis) && axis.count > 1;
                       });
  }
  return {varying.workload, batches.size() > 1, experiment.training.seed.size() > 1};
}

std::string case_id(std::size_t number, const Varying& varying, const Experiment& experiment, const Case& which) {
  const std::string digits = std::to_string(number);
  std::string id = std::string(digits.size() < 3 ? 3 - digits.size() : 0, '0') + digits;
  static const std::vector<AxisValue> no_axes;
  const auto index = static_cast<std::size_t>(which.variant);
  const bool listed = index < experiment.variants.size();
  const auto& axes = listed ? experiment.variants[index].axes : no_axes;
  const Workload& workload = listed ? experiment.variants[index].workload : experiment.workload;
  const auto of_model = [](const AxisValue& axis) { return belongs_to(axis, "/workload/model") && !names_model(axis); };
  if (varying.workload) id += part(workload.model.kind);
  id += parts(axes, of_model) + part(which.strategy.choice.kind);
  id += parts(which.strategy.axes, [](const AxisValue&) { return true; });
  id += fmt::format("-r{}", which.ranks);
  id += parts(axes, [&](const AxisValue& axis) { return !names_model(axis) && !of_model(axis); });
  if (varying.batch && workload.scales_weakly()) id += fmt::format("-b{}_per_rank", which.global_batch / which.ranks);
  if (varying.batch && !workload.scales_weakly()) id += fmt::format("-b{}", which.global_batch);
  if (varying.seed) id += fmt::format("-s{}", which.seed);
  return id;
}

std::string varying_settings(const Variant& variant) {
  std::string text;
  for (const AxisValue& axis : variant.axes) {
    bool has_column = names_model(axis);
    for (const char* setting : {"/workload/model", "/training/precision", "/devices/transport",
                                "/devices/threads_per_rank", "/devices/throttle"})
      has_column = has_column || belongs_to(axis, setting);
    // Kinds of optimizer and data set have columns, but not their settings.
    for (const auto* choice : {&variant.training.optimizer, &variant.workload.dataset})
      has_column = has_column || axis.text == choice->kind;
    if (!has_column && !axis.text.empty()) text += (text.empty() ? "" : " ") + axis.text;
  }
  return text;
}

}  // namespace ddlbench::bench
