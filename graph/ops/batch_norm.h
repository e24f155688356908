#pragma once

#include "graph/attributes.h"
#include "graph/graph.h"
#include "graph/op.h"
#include "graph/ops/activation.h"

/// Batch normalisation (Ioffe & Szegedy 2015) of x[N, C, …], as several ops so that placements apply to each. The batch
/// is divided into groups of `samples` samples (0: the whole batch is one group), and each group is normalised by its
/// own mean and variance. The group size is a property of the model, not of the sharding, so every strategy computes
/// the same. If a group spans several ranks, each rank computes the moments of its samples, and CombineMoments combines
/// them: synchronised batch normalisation. The sums of the derivative are then partial, and an all-reduce precedes the
/// op that needs the totals. Moments and sums are f32, computed in a wider type.
namespace ddlbench::graph {

/// The rows of moments f32[G, moment_rows, C]. The mean is the sum of two rows: the nearest f32, and the remainder. For
/// data far from zero, x − mean needs more digits of the mean than f32 has. M2 is Σ (x − mean)².
inline constexpr std::int64_t count_row = 0, mean_row = 1, mean_low_row = 2, m2_row = 3, moment_rows = 4;

/// (x[N, C, …]) -> moments f32[G, 4, C] of each group and channel.
struct BatchMoments final : Op {
  explicit BatchMoments(std::int64_t s) : samples(s) {}
  std::int64_t samples;

  std::string_view kind() const override { return "batch_moments"; }
  std::string attributes() const override { return attribute_text("samples", samples); }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 4; }  ///< a subtraction, a square and two additions
  std::vector<Signature> signatures(Types inputs) const override;
  bool takes_channel_blocks() const override { return true; }
  void differentiate(Differentiation& d) const override;  ///< nothing: the derivative of BatchNorm includes it
};

/// (moments[P, 4, C]) -> moments[1, 4, C] of all values of the P parts, by Chan's formula (Chan, Golub & LeVeque 1979).
struct CombineMoments final : Op {
  std::string_view kind() const override { return "combine_moments"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override {
    return 10.0 / moment_rows;
  }  ///< for each part: one for the count, four for the mean, five for M2
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;  ///< nothing, as in BatchMoments
};

/// The attributes that all normalising ops have.
struct BatchNormAttributes {
  std::int64_t samples = 0;
  float epsilon = 1e-5F;
  bool operator==(const BatchNormAttributes&) const = default;
};

struct BatchNormOp : Op {
  BatchNormOp(BatchNormAttributes a, bool with_residual, Activation f)
      : norm(a), residual(with_residual), activation(f) {}
  BatchNormAttributes norm;
  bool residual;
  Activation activation;

  std::string attributes() const override;
  bool takes_channel_blocks() const override { return true; }
};

/// (x[N, C, …], moments[G, 4, C], gamma[C], beta[C][, residual[N, C, …]])
/// -> y = f(gamma (x − mean) / sqrt(variance + epsilon) + beta [+ residual]), with the biased variance (divided by n).
struct BatchNorm final : BatchNormOp {
  using BatchNormOp::BatchNormOp;

  std::string_view kind() const override { return "batch_norm"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return residual ? 5 : 4; }
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
};

/// (dy[N, C, …], x, moments …) -> sums f32[G, 2, C]: Σ dz x̂ and Σ dz of each group, where x̂ is the normalised x and
/// dz = dy · f'(z) is the gradient before the activation, which no separate pass writes. With an activation the inputs
/// are (dy, x, moments, gamma, beta), and z is recomputed as in BatchNorm, which needs one pass over memory less than
/// reading y. With an activation and a residual the inputs are (dy, x, moments, y) and the outputs (sums, dz), because
/// dz is the gradient of the residual.
struct BatchNormBackwardMoments final : BatchNormOp {
  using BatchNormOp::BatchNormOp;

  bool recomputes_z() const { return activation != Activation::none && !residual; }
  bool writes_dz() const { return activation != Activation::none && residual; }

  std::string_view kind() const override { return "batch_norm_backward_moments"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override {
    return recomputes_z() ? 9 : writes_dz() ? 6 : 5;
  }  ///< includes one for dz, three for z
  std::vector<Signature> signatures(Types inputs) const override;
};

/// (dy, x, moments, sums, gamma[, beta]) -> dx = gamma rstd (dz − Σdz / n − x̂ Σ(dz x̂) / n), where n is the number of
/// values of the group and dz = dy · f'(z), with z recomputed as above. beta is an input if there is an activation.
struct BatchNormBackwardInput final : Op {
  BatchNormBackwardInput(BatchNormAttributes a, Activation f) : norm(a), activation(f) {}
  BatchNormAttributes norm;
  Activation activation;

  std::string_view kind() const override { return "batch_norm_backward_input"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  /// Two for x̂, four for the rest, and four for the activation.
  double flops_per_element() const override { return activation == Activation::none ? 6 : 10; }
  std::vector<Signature> signatures(Types inputs) const override;
  bool takes_channel_blocks() const override { return true; }
};

/// (sums[G, 2, C]) -> dgamma[C], dbeta[C] of type `dtype`: the sums over the groups. Partial sums give partial
/// gradients.
struct BatchNormBackwardWeight final : Op {
  explicit BatchNormBackwardWeight(DType d) : dtype(d) {}
  DType dtype;

  std::string_view kind() const override { return "batch_norm_backward_weight"; }
  std::string attributes() const override { return attribute_text("dtype", dtype); }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 1; }
  std::vector<Signature> signatures(Types inputs) const override;
};

/// (x[N, C, …], gamma[C], beta[C], mean f32[C], variance f32[C][, residual]) -> y: BatchNorm with running statistics.
struct BatchNormInference final : Op {
  BatchNormInference(float e, bool with_residual, Activation f) : epsilon(e), residual(with_residual), activation(f) {}
  float epsilon;
  bool residual;
  Activation activation;

  std::string_view kind() const override { return "batch_norm_inference"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return residual ? 5 : 4; }
  std::vector<Signature> signatures(Types inputs) const override;
  bool takes_channel_blocks() const override { return true; }
};

/// (moments[G, 4, C]) -> mean f32[C], variance f32[C]: sums over the groups, to be added up by Observation. The
/// variance is unbiased (divided by n − 1, or by n if a group has only one value).
struct ObserveMoments final : Op {
  std::string_view kind() const override { return "observe_moments"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override {
    return 5.0 / moment_rows;
  }  ///< for each group: one for the mean, two for the variance, two to add them
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;  ///< nothing flows back
};

/// (statistic f32[n], observed f32[n]) -> statistic, in place: (1 − momentum) statistic + momentum · scale · observed.
struct StatisticUpdate final : Op {
  StatisticUpdate(float m, double s) : momentum(m), scale(s) {}
  float momentum;
  double scale;

  std::string_view kind() const override { return "statistic_update"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 3; }
};

/// Adds the nodes of one normalisation with their substitute for evaluation and their observations, and returns y.
/// `residual` may be `absent`. Parameters and statistics have torchvision's names, with their initial values:
/// NAME.weight (1), NAME.bias (0), NAME.running_mean (0) and NAME.running_var (1).
TensorId add_batch_norm(Graph& graph, const std::string& name, TensorId x, TensorId residual,
                        BatchNormAttributes attributes, Activation activation, float momentum = 0.1F);

/// Returns how many samples must stay together in a shard of the batch: the least common multiple of the group sizes, 1
/// without groups. Groups of the whole batch (0) do not count.
std::int64_t samples_per_statistic(const Graph& graph);
/// Whether a normalisation uses the whole (micro-)batch as one group.
bool normalises_whole_batch(const Graph& graph);

/// Returns `forward` with the moments of groups of the whole batch computed in `parts` parts and combined. The rest
/// does not change, and results differ only by rounding. Throws ContractError unless `parts` divides the batch.
Graph with_moments_in_parts(const Graph& forward, int parts);

}  // namespace ddlbench::graph
