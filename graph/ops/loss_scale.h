#pragma once

#include <array>

#include "graph/attributes.h"
#include "graph/op.h"

/// Dynamic loss scaling (Micikevicius et al. 2018): gradients in 16 bits are computed from the loss times a scale,
/// which is as large as possible without overflow. The scale is a state of the training, as momenta are. An op at the
/// end of the step changes it, depending on the same norm that decided whether the updates were skipped. So the host is
/// not involved, and all ranks, which have the same norm, keep the same scale.
namespace ddlbench::graph {

struct LossScaling {
  float initial = 1;
  int growth_interval = 0;  ///< steps without overflow after which the scale is doubled; 0: never changed

  static constexpr float factor = 2;  ///< scales are powers of two, which change only the exponents of gradients
  static constexpr float smallest = 0x1p-24F;
  static constexpr float largest = 0x1p24F;
};

/// The names of the members of a LossScaler among the states of an optimizer, in their order.
inline constexpr std::array<const char*, 4> loss_scaler_states{"loss_scaler.scale", "loss_scaler.steady_steps",
                                                               "loss_scaler.updates", "loss_scaler.skipped"};

/// (squared_norm f32[1], scaler f32[4]) -> scaler, a LossScaler in memory. If the norm is not finite, it counts a
/// skipped step and halves the scale. Otherwise it counts an update, and doubles the scale after `growth_interval`
/// updates since it last changed or a step was skipped. The scale stays in [smallest, largest]. With a
/// `growth_interval` of 0 it only counts.
struct LossScaleUpdate final : Op {
  explicit LossScaleUpdate(int interval) : growth_interval(interval) {}
  int growth_interval;

  std::string_view kind() const override { return "loss_scale_update"; }
  std::string attributes() const override { return attribute_text("growth_interval", growth_interval); }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types, Types) const override { return 1; }
};

}  // namespace ddlbench::graph
