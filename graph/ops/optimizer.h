#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/op.h"
#include "graph/ops/loss_scale.h"

/// Optimizers update flat views of many parameters at once, in place. Values that change in each step are in Scalars.
///
/// An update is (w, g, states…[, norms][, squared_norm]) -> (w, states…[, working]). w and the states are f32; g is any
/// floating-point type. `norms` f32[tensors, 2] is the output of the optimizer's measure op. `squared_norm` f32[1] is Σ
/// g² over all gradients of the model; it is an input if `guard` needs it. `working` is an output if parameters are
/// used in 16 bits: w rounded to that type (w is then the master). Every g is used as g / loss scale · clip, where clip
/// = min(1, max_norm / (norm + 1e-6)) as in PyTorch's clip_grad_norm_.
namespace ddlbench::graph {

/// The elements [begin, end) of the views of an update that belong to parameter `tensor`, which is a row of `norms`.
struct UpdateSegment {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  int tensor = 0;
  bool exempt = false;  ///< without weight decay and rate per layer (biases, parameters of norms)
  bool operator==(const UpdateSegment&) const = default;
};

/// How an update uses the global norm of the gradients.
struct Guard {
  float max_norm = 0;          ///< gradients with a larger norm are scaled down to it; 0: never
  bool skip_overflow = false;  ///< a step whose norm is not finite changes nothing
  bool any() const { return max_norm > 0 || skip_overflow; }
  bool operator==(const Guard&) const = default;
};

/// The parameters that one update op updates.
struct UpdateSite {
  std::vector<UpdateSegment> segments;  ///< cover the views in order; empty if not needed: nothing is exempt
  int tensors = 0;                      ///< rows of `norms`
  DType working = DType::f32;           ///< f32: there is no output `working`
  bool operator==(const UpdateSite&) const = default;
};

/// Base of all update ops.
struct UpdateOp : Op {
  UpdateOp(Guard g, UpdateSite s) : guard(g), site(std::move(s)) {}
  Guard guard;
  UpdateSite site;

  virtual std::size_t states() const = 0;
  virtual bool takes_norms() const { return false; }

  /// All that distinguishes one update from another, for the look-up of kernels: rule(), then guard and site.
  std::string attributes() const final;
  virtual std::string rule() const { return {}; }

  std::vector<TensorType> infer(Types inputs) const override;
};

/// g' = g + weight_decay·w; v = momentum·v + g'; w −= learning_rate·(nesterov ? g' + momentum·v : v), as in PyTorch.
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

/// Base of the updates with Adam's moments.
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

/// Adam (Kingma & Ba 2015). Both moments are corrected by 1 − βᵗ with t = LossScaler::updates + 1. Weight decay is
/// added to the gradient, or, if `decoupled` (AdamW, Loshchilov & Hutter 2019), subtracted from the weight: w −=
/// learning_rate·weight_decay·w. States: {m, v}.
struct AdamUpdate final : MomentsUpdate {
  AdamUpdate(float b1, float b2, float e, float d, bool apart, Guard g, UpdateSite s)
      : MomentsUpdate(b1, b2, e, d, g, std::move(s)), decoupled(apart) {}
  bool decoupled;

  std::string_view kind() const override { return "adam_update"; }
  std::string rule() const override { return MomentsUpdate::rule() + (decoupled ? " decoupled=yes" : ""); }
  double flops_per_element() const override { return 14; }
};

/// LARS (You et al. 2017): rate = trust_coefficient ‖w‖ / (‖g‖ + weight_decay ‖w‖ + epsilon), or 1 if ‖w‖ or ‖g‖ is 0
/// and for exempt parameters; v = momentum·v + learning_rate·rate·(g + weight_decay·w); w −= v. States: {v}. Norms: Σ
/// w² and Σ g² of each tensor.
struct LarsUpdate final : UpdateOp {
  LarsUpdate(float m, float d, float eta, float e, Guard g, UpdateSite s)
      : UpdateOp(g, std::move(s)), momentum(m), weight_decay(d), trust_coefficient(eta), epsilon(e) {}
  float momentum;
  float weight_decay;
  float trust_coefficient;
  float epsilon;

  std::string_view kind() const override { return "lars_update"; }
  std::size_t states() const override { return 1; }
  bool takes_norms() const override { return true; }
  std::string rule() const override;
  double flops_per_element() const override { return 7; }
};

/// First half of LAMB (You et al. 2020): (w, g, m, v[, squared_norm]) -> (m, v, norms[tensors, 2]): Adam's moments, and
/// for each tensor Σ w² and Σ u² with u = m̂ / (√v̂ + epsilon) + weight_decay·w. Rows of tensors without elements in
/// these views are 0.
struct LambMeasure final : MomentsUpdate {
  using MomentsUpdate::MomentsUpdate;

  std::string_view kind() const override { return "lamb_measure"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 18; }
};

/// Second half of LAMB: (w, g, m, v, norms[, squared_norm]) -> (w, m, v[, working]): w −= learning_rate·(‖w‖ / ‖u‖)·u,
/// where the quotient is 1 if either norm is 0 and for exempt parameters. g is not read; m and v do not change.
struct LambUpdate final : MomentsUpdate {
  using MomentsUpdate::MomentsUpdate;

  std::string_view kind() const override { return "lamb_update"; }
  bool takes_norms() const override { return true; }
  double flops_per_element() const override { return 9; }
};

/// (w, g) -> norms f32[tensors, 2]: Σ w² and Σ (g / loss scale)² of each tensor. Rows of tensors without elements in
/// these views are 0.
struct TensorNorms final : UpdateOp {
  explicit TensorNorms(UpdateSite s) : UpdateOp({}, std::move(s)) {}
  std::string_view kind() const override { return "tensor_norms"; }
  std::size_t states() const override { return 0; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 4; }
};

/// (g) -> f32[1]: Σ (g / loss scale)², computed in a wider type. It can accumulate into its output.
struct SquaredNorm final : Op {
  std::string_view kind() const override { return "squared_norm"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 2; }
};

/// The description of an optimizer that strategies use.
struct Optimizer {
  std::vector<std::string> states;  ///< names: {"momentum"}, {"first_moment", "second_moment"}
  Guard guard;
  LossScaling scaling;           ///< used if guard.skip_overflow
  bool exempts_vectors = false;  ///< one-dimensional parameters are exempt, so updates need their segments
  /// Makes the op that computes the norms of each tensor before the update: (w, g) -> (norms), or with
  /// `measures_states` (w, g, states…[, squared_norm]) -> (states…, norms). Null for optimizers without norms.
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
  float trust_coefficient = 0.001F;  ///< for LARS
  bool exempts_vectors = false;
  Guard guard = {};
  LossScaling scaling = {};  ///< used if guard.skip_overflow
};

Optimizer sgd(const OptimizerSettings& settings);
Optimizer adam(const OptimizerSettings& settings);
Optimizer adamw(const OptimizerSettings& settings);
Optimizer lars(const OptimizerSettings& settings);
Optimizer lamb(const OptimizerSettings& settings);

}  // namespace ddlbench::graph
