#pragma once

#include "graph/op.h"

namespace ddlbench::graph {

/// One launch over flat buffers, in place; the learning rate, the step and the loss scale lie in Scalars.
/// Outputs are the parameters and the states, at the inputs' memory.

/// (w, g, v) -> (w, v): g' = g/scale + weight_decay·w; v = momentum·v + g'; w −= learning_rate·v.
/// Without momentum there is no v: (w, g) -> (w).
struct SgdUpdate final : Op {
  SgdUpdate(float m, float d) : momentum(m), weight_decay(d) {}
  float momentum;
  float weight_decay;

  std::string_view kind() const override { return "sgd_update"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
};

/// (w, g, m, v) -> (w, m, v): Kingma & Ba, with g' = g/scale + weight_decay·w, and both moments corrected
/// by 1 − βᵗ, t = Scalars::step + 1.
struct AdamUpdate final : Op {
  AdamUpdate(float b1, float b2, float e, float d) : beta1(b1), beta2(b2), epsilon(e), weight_decay(d) {}
  float beta1;
  float beta2;
  float epsilon;
  float weight_decay;

  std::string_view kind() const override { return "adam_update"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
};

/// An optimizer as strategies see it: an update op and how many state buffers it keeps per parameter.
struct Optimizer {
  OpPtr update;
  std::vector<std::string> states;  ///< names: {"momentum"}, {"first_moment", "second_moment"}
};

Optimizer sgd(float momentum, float weight_decay);
Optimizer adam(float beta1, float beta2, float epsilon, float weight_decay);

}  // namespace ddlbench::graph
