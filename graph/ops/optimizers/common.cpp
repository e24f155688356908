#include "graph/ops/optimizers/common.h"

namespace ddlbench::graph {
namespace {

constexpr double below_one = 0.999999;  // still below 1 as a float

Option above_zero(Option option) {
  option.above = true;
  return option;
}

void read(const OptionValues& options, const char* name, float& value) {
  if (const auto found = options.find(name); found != options.end())
    value = static_cast<float>(std::get<double>(found->second));
}

void read(const OptionValues& options, const char* name, bool& value) {
  if (const auto found = options.find(name); found != options.end()) value = std::get<bool>(found->second);
}

}  // namespace

Option learning_rate_option() {
  Option option = above_zero({"learning_rate", 0.0, "Step size, before its schedule."});
  option.required = true;
  return option;
}

Option momentum_option(double value) {
  return {"momentum", value, "Share of the previous update that is kept.", 0, {}, below_one};
}

Option weight_decay_option(double value, const char* help) {
  return {"weight_decay", value, help};
}

Option exempt_vectors_option(bool value) {
  return {
      "exempt_vectors", value,
      "Exempt one-dimensional parameters (biases, scales and shifts of norms) from decay and from rates per layer."};
}

std::vector<Option> moment_options(double epsilon, Option weight_decay, bool exempts_vectors) {
  return {learning_rate_option(),
          {"beta1", 0.9, "Decay rate of the first moment.", 0, {}, below_one},
          {"beta2", 0.999, "Decay rate of the second moment.", 0, {}, below_one},
          above_zero({"epsilon", epsilon, "Added to the square root of the second moment."}),
          std::move(weight_decay),
          exempt_vectors_option(exempts_vectors)};
}

OptimizerSettings settings_of(const OptionValues& options, const Guard& guard, const LossScaling& scaling) {
  OptimizerSettings settings;
  read(options, "momentum", settings.momentum);
  read(options, "nesterov", settings.nesterov);
  read(options, "weight_decay", settings.weight_decay);
  read(options, "beta1", settings.beta1);
  read(options, "beta2", settings.beta2);
  read(options, "epsilon", settings.epsilon);
  read(options, "trust_coefficient", settings.trust_coefficient);
  read(options, "exempt_vectors", settings.exempts_vectors);
  settings.guard = guard;
  settings.scaling = scaling;
  return settings;
}

Optimizer guarded(const OptimizerSettings& settings) {
  Optimizer made;
  made.guard = settings.guard;
  made.scaling = settings.scaling;
  made.exempts_vectors = settings.exempts_vectors;
  return made;
}

}  // namespace ddlbench::graph
