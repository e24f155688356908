#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/op.h"
#include "graph/ops/loss_scale.h"

/// Optimizers work on flat views of many parameters at once, in place; what changes from step to step lies in Scalars.
///
/// An update is (w, g, states…[, norms][, squared_norm]) -> (w, states…[, working]). w and the states are f32, g any
/// float. `norms` f32[tensors, 2] is what the optimizer's measure made. `squared_norm` f32[1] is Σ g² over all
/// gradients of the model, there where `guard` asks for it. `working`, where parameters are used in 16 bits, is w
/// rounded to them (w is the master then). Every g counts as g / loss scale · clip, clip = min(1, max_norm /
/// (norm + 1e-6)) as PyTorch's clip_grad_norm_ has it.
namespace ddlbench::graph {

/// Elements [begin, end) of an update's views that belong to parameter `tensor`, a row of `norms`.
struct UpdateSegment {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  int tensor = 0;
  bool exempt = false;  ///< from weight decay and from rates by layer: biases and what norms have
  bool operator==(const UpdateSegment&) const = default;
};

/// What the global norm of the gradients decides.
struct Guard {
  float max_norm = 0;          ///< gradients are scaled down to it; 0: never
  bool skip_overflow = false;  ///< a norm that is not finite: everything stays as it is
  bool any() const { return max_norm > 0 || skip_overflow; }
  bool operator==(const Guard&) const = default;
};

/// Where one update op stands.
struct UpdateSite {
  std::vector<UpdateSegment> segments;  ///< cover the views in order; empty: no matter, and nothing is exempt
  int tensors = 0;                      ///< rows of `norms`
  DType working = DType::f32;           ///< f32: parameters are used as they are, and there is no such output
  bool operator==(const UpdateSite&) const = default;
};

/// What all update ops share.
struct UpdateOp : Op {
  UpdateOp(Guard g, UpdateSite s) : guard(g), site(std::move(s)) {}
  Guard guard;
  UpdateSite site;

  virtual std::size_t states() const = 0;
  virtual bool takes_norms() const { return false; }

  /// Everything that tells one update from another, by which kernels are looked up: guard and site, after the
  /// attributes of the rule.
  std::string attributes() const final;
  virtual std::string rule() const { return {}; }

  std::vector<TensorType> infer(Types inputs) const override;
};

/// g' = g + weight_decay·w; v = momentum·v + g'; w −= learning_rate·(nesterov ? g' + momentum·v : v), PyTorch's form.
/// States: {v}, or none without momentum.
struct SgdUpdate final : UpdateOp {
  SgdUpdate(float m, bool n, float d, Guard g, UpdateSite s)
      : UpdateOp(g, std::move(s)), momentum(m), nesterov(n), weight_decay(d) {}
  float momentum;
  bool nesterov;
  float weight_decay;

  std::string_view kind() const override { return "sgd_update"; }
  std::size_t states() const override { return momentum != 0 ? 1 : 0; }
  std::string rule() const override;
  double flops_per_element() const override;
};

/// Of the rules with Adam's moments.
struct MomentsUpdate : UpdateOp {
  MomentsUpdate(float b1, float b2, float e, float d, Guard g, UpdateSite s)
      : UpdateOp(g, std::move(s)), beta1(b1), beta2(b2), epsilon(e), weight_decay(d) {}
  float beta1;
  float beta2;
  float epsilon;
  float weight_decay;

  std::size_t states() const override { return 2; }
  std::string rule() const override;
};

/// Kingma & Ba, both moments corrected by 1 − βᵗ, t = LossScaler::updates + 1. Weight decay is added to the gradient,
/// or `decoupled` (AdamW, Loshchilov & Hutter 2019) taken from the weight: w −= learning_rate·weight_decay·w. States:
/// {m, v}.
struct AdamUpdate final : MomentsUpdate {
  AdamUpdate(float b1, float b2, float e, float d, bool apart, Guard g, UpdateSite s)
      : MomentsUpdate(b1, b2, e, d, g, std::move(s)), decoupled(apart) {}
  bool decoupled;

  std::string_view kind() const override { return "adam_update"; }
  std::string rule() const override { return MomentsUpdate::rule() + (decoupled ? " decoupled=yes" : ""); }
  double flops_per_element() const override { return 14; }
};

/// LARS (You et al. 2017): rate = trust ‖w‖ / (‖g‖ + weight_decay ‖w‖ + epsilon), 1 where ‖w‖ or ‖g‖ is 0 and for what
/// is exempt; v = momentum·v + learning_rate·rate·(g + weight_decay·w); w −= v. States: {v}. Norms: Σ w², Σ g² by
/// tensor.
struct LarsUpdate final : UpdateOp {
  LarsUpdate(float m, float d, float eta, float e, Guard g, UpdateSite s)
      : UpdateOp(g, std::move(s)), momentum(m), weight_decay(d), trust(eta), epsilon(e) {}
  float momentum;
  float weight_decay;
  float trust;
  float epsilon;

  std::string_view kind() const override { return "lars_update"; }
  std::size_t states() const override { return 1; }
  bool takes_norms() const override { return true; }
  std::string rule() const override;
  double flops_per_element() const override { return 7; }
};

/// LAMB (You et al. 2020), first half: (w, g, m, v[, squared_norm]) -> (m, v, norms[tensors, 2]): Adam's moments, and
/// by tensor Σ w² and Σ u², u = m̂ / (√v̂ + epsilon) + weight_decay·w. Rows of tensors without elements here are 0.
struct LambMeasure final : MomentsUpdate {
  using MomentsUpdate::MomentsUpdate;

  std::string_view kind() const override { return "lamb_measure"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 18; }
};

/// Second half: (w, g, m, v, norms[, squared_norm]) -> (w, m, v[, working]): w −= learning_rate·(‖w‖ / ‖u‖)·u, the
/// quotient 1 where either is 0 and for what is exempt; g is not read, m and v stay.
struct LambUpdate final : MomentsUpdate {
  using MomentsUpdate::MomentsUpdate;

  std::string_view kind() const override { return "lamb_update"; }
  bool takes_norms() const override { return true; }
  double flops_per_element() const override { return 9; }
};

/// (w, g) -> norms f32[tensors, 2]: Σ w² and Σ (g / loss scale)² by tensor; rows of tensors without elements here are
/// 0.
struct TensorNorms final : UpdateOp {
  explicit TensorNorms(UpdateSite s) : UpdateOp({}, std::move(s)) {}
  std::string_view kind() const override { return "tensor_norms"; }
  std::size_t states() const override { return 0; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 4; }
};

/// (g) -> f32[1]: Σ (g / loss scale)², taken in a wider type; it can be added to what is there.
struct SquaredNorm final : Op {
  std::string_view kind() const override { return "squared_norm"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 2; }
};

/// An optimizer as strategies see it.
struct Optimizer {
  std::vector<std::string> states;  ///< names: {"momentum"}, {"first_moment", "second_moment"}
  Guard guard;
  LossScaling scaling;           ///< where the guard skips what overflows
  bool exempts_vectors = false;  ///< parameters of one dimension are exempt: updates must know their segments
  /// Makes the norms by tensor, before the update: (w, g) -> (norms), or with `measures_states`
  /// (w, g, states…[, squared_norm]) -> (states…, norms). Null where there are none.
  std::function<OpPtr(UpdateSite)> measure;
  bool measures_states = false;
  std::function<OpPtr(UpdateSite)> update;

  bool needs_segments() const { return exempts_vectors || measure != nullptr; }
  bool needs_norms() const { return guard.any() || measure != nullptr; }
};

struct OptimizerSettings {
  float momentum = 0;
  bool nesterov = false;
  float weight_decay = 0;
  float beta1 = 0.9F;
  float beta2 = 0.999F;
  float epsilon = 1e-8F;
  float trust = 0.001F;  ///< of lars
  bool exempts_vectors = false;
  Guard guard = {};
  LossScaling scaling = {};  ///< of guard.skip_overflow
};

Optimizer sgd(const OptimizerSettings& settings);
Optimizer adam(const OptimizerSettings& settings);
Optimizer adamw(const OptimizerSettings& settings);
Optimizer lars(const OptimizerSettings& settings);
Optimizer lamb(const OptimizerSettings& settings);

}  // namespace ddlbench::graph
