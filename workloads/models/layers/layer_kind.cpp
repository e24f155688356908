#include "workloads/models/layers/layer_kind.h"

namespace ddlbench::workloads {

const std::vector<LayerKind>& layer_kinds() {
  static const std::vector<LayerKind> kinds = [] {
    std::vector<LayerKind> all;
    for (auto& some : {image_layers(), common_layers(), text_layers()}) all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return kinds;
}

Option size_option(std::string name, std::string help) {
  return {std::move(name), std::int64_t{0}, std::move(help), 1, {}, 1 << 24};
}

Option activation_option() {
  return {"activation", std::string("none"), "applied to the result", 0, {"none", "relu"}};
}

std::vector<Option> weight_init_options() {
  return {{"start",
           std::string("fan_in"),
           "initial weight; fan_in: uniform in ±1/sqrt(fan-in); fan_out: normal, sqrt(2/fan-out); normal",
           0,
           {"fan_in", "fan_out", "normal"}},
          {"deviation", 0.02, "standard deviation, with \"start\": \"normal\"", 0}};
}

graph::Activation activation_of(const OptionValues& options) {
  return value_of<std::string>(options, "activation") == "relu" ? graph::Activation::relu : graph::Activation::none;
}

WeightInit weight_init_of(const OptionValues& options) {
  const auto& rule = value_of<std::string>(options, "start");
  if (rule == "fan_in") return {WeightInit::Rule::fan_in};
  if (rule == "fan_out") return {WeightInit::Rule::fan_out};
  return {WeightInit::Rule::normal, static_cast<float>(value_of<double>(options, "deviation"))};
}

}  // namespace ddlbench::workloads
