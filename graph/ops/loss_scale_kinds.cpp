#include "graph/ops/loss_scale_kinds.h"

#include "base/names.h"

namespace ddlbench::graph {
namespace {

Option scale_option(const char* name, double value, const char* help) {
  return {name, value, help, LossScaling::smallest, {}, LossScaling::largest};
}

float scale_of(const OptionValues& options, const char* name) {
  return static_cast<float>(value_of<double>(options, name));
}

LossScaleKind dynamic_scale() {
  return {"dynamic",
          "Halved when a step overflows, doubled after many steps without overflow.",
          {scale_option("initial", 65536, "Loss scale of the first step."),
           {"growth_interval", std::int64_t{2000}, "Steps without overflow after which it doubles.", 1, {}, 1e6}},
          [](const OptionValues& options) -> LossScaling {
            return {scale_of(options, "initial"), static_cast<int>(value_of<std::int64_t>(options, "growth_interval"))};
          }};
}

LossScaleKind fixed_scale() {
  Option scale = scale_option("scale", 1, "The loss scale.");
  scale.required = true;
  return {"fixed", "The same scale for every step.", {scale}, [](const OptionValues& options) -> LossScaling {
            return {scale_of(options, "scale"), 0};
          }};
}

}  // namespace

const std::vector<LossScaleKind>& loss_scale_kinds() {
  static const std::vector<LossScaleKind> kinds{dynamic_scale(), fixed_scale()};
  return kinds;
}

LossScaling make_loss_scaling(const Choice& choice) {
  const LossScaleKind& kind = find_named(loss_scale_kinds(), choice.kind, "loss scale");
  return kind.make(with_defaults(kind.options, choice.options));
}

}  // namespace ddlbench::graph
