#pragma once

#include <array>

#include "graph/attributes.h"
#include "graph/op.h"

/// Dynamic loss scaling (Micikevicius et al. 2018): gradients of 16 bits are made of a loss times a scale, as large as
/// they can bear. The scale is a state of the training as momenta are: an op of the step changes it, after the updates,
/// from what decided them, so that no host is asked and all ranks that know the same norm keep the same scale.
namespace ddlbench::graph {

struct LossScaling {
  float initial = 1;
  int growth_interval = 0;  ///< steady steps after which the scale is doubled; 0: it is never changed

  static constexpr float factor = 2;  ///< powers of two: gradients are the same bits, exponents aside
  static constexpr float smallest = 0x1p-24F;
  static constexpr float largest = 0x1p24F;
};

/// What the parts of a LossScaler are called among the states of an optimizer, in their order.
inline constexpr std::array<const char*, 4> loss_scaler_states{"loss_scaler.scale", "loss_scaler.steady_steps",
                                                               "loss_scaler.updates", "loss_scaler.skipped"};

/// (squared_norm f32[1], scaler f32[4]) -> scaler, a LossScaler in memory. Of a norm that is not finite: one step more
/// was skipped, and the scale is halved. Else one update more, and after `growth_interval` of them without a change of
/// the scale it is doubled. It stays within [smallest, largest].
struct LossScaleUpdate final : Op {
  explicit LossScaleUpdate(int interval) : growth_interval(interval) {}
  int growth_interval;

  std::string_view kind() const override { return "loss_scale_update"; }
  std::string attributes() const override { return in_words("growth_interval", growth_interval); }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types, Types) const override { return 1; }
};

}  // namespace ddlbench::graph
