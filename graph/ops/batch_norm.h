#pragma once

#include "graph/attributes.h"
#include "graph/graph.h"
#include "graph/op.h"
#include "graph/ops/activation.h"

/// Batch normalisation (Ioffe & Szegedy 2015) of x[N, C, …] in ops that placements see through. The batch is cut into
/// groups of `samples` samples (0: one group, all of it) that are normalised each by its own mean and variance: how
/// many samples share a statistic is a property of the model, not of how it is sharded, so that every strategy computes
/// the same. Moments of a group that lies on several ranks are made in parts, of as many samples as a rank has, and
/// combined (CombineMoments): synchronised batch norm. Sums of its derivative are partial there, and what needs them
/// whole brings the reduction. Both are f32, taken in a wider type.
namespace ddlbench::graph {

/// The rows of moments f32[G, moment_rows, C]. The mean is the sum of two numbers, the f32 next to it and what that
/// leaves: x − mean of data far from zero needs more digits of the mean than f32 has. M2 is Σ (x − mean)².
inline constexpr std::int64_t count_row = 0, mean_row = 1, mean_rest_row = 2, m2_row = 3, moment_rows = 4;

/// (x[N, C, …]) -> moments f32[G, 4, C] of each group and channel.
struct BatchMoments final : Op {
  explicit BatchMoments(std::int64_t s) : samples(s) {}
  std::int64_t samples;

  std::string_view kind() const override { return "batch_moments"; }
  std::string attributes() const override { return in_words("samples", samples); }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 4; }  ///< a subtraction, a square and two additions
  std::vector<Signature> signatures(Types inputs) const override;
  bool takes_channel_blocks() const override { return true; }
  void differentiate(Differentiation& d) const override;  ///< nothing: its part is in the derivative of BatchNorm
};

/// (moments[P, 4, C]) -> moments[1, 4, C] of all values of the P parts, by Chan's formula (Chan, Golub & LeVeque 1979).
struct CombineMoments final : Op {
  std::string_view kind() const override { return "combine_moments"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override {
    return 10.0 / moment_rows;
  }  ///< of a part: the count one, the mean four, M2 five
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;  ///< nothing, as that of BatchMoments
};

/// What the ops that normalise share.
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
/// -> y = f(gamma (x − mean) / sqrt(variance + epsilon) + beta [+ residual]), the variance biased (by n).
struct BatchNorm final : BatchNormOp {
  using BatchNormOp::BatchNormOp;

  std::string_view kind() const override { return "batch_norm"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return residual ? 5 : 4; }
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
};

/// (dy[N, C, …], x, moments …) -> sums f32[G, 2, C]: Σ dz x̂ and Σ dz of each group, where x̂ is what x is normalised to
/// and dz = dy · f'(z) the gradient before the activation, which no pass of its own writes down. With an activation it
/// takes (dy, x, moments, gamma, beta), and works z out again as BatchNorm did: that is a pass over memory less than to
/// read y. With a residual, too, it takes (dy, x, moments, y) and makes (sums, dz): that dz is the residual's gradient.
struct BatchNormBackwardMoments final : BatchNormOp {
  using BatchNormOp::BatchNormOp;

  bool works_out_z() const { return activation != Activation::none && !residual; }
  bool makes_dz() const { return activation != Activation::none && residual; }

  std::string_view kind() const override { return "batch_norm_backward_moments"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override {
    return works_out_z() ? 9 : makes_dz() ? 6 : 5;
  }  ///< one for dz, three for z
  std::vector<Signature> signatures(Types inputs) const override;
};

/// (dy, x, moments, sums, gamma[, beta]) -> dx = gamma rstd (dz − Σdz / n − x̂ Σ(dz x̂) / n), n the values of the group
/// and dz = dy · f'(z), with z worked out as above: beta is an input where there is an activation.
struct BatchNormBackwardInput final : Op {
  BatchNormBackwardInput(BatchNormAttributes a, Activation f) : norm(a), activation(f) {}
  BatchNormAttributes norm;
  Activation activation;

  std::string_view kind() const override { return "batch_norm_backward_input"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  /// Two for x̂, four for the rest; for the activation four.
  double flops_per_element() const override { return activation == Activation::none ? 6 : 10; }
  std::vector<Signature> signatures(Types inputs) const override;
  bool takes_channel_blocks() const override { return true; }
};

/// (sums[G, 2, C]) -> dgamma[C], dbeta[C], of `dtype`: the sums over the groups. From partial sums partial gradients.
struct BatchNormBackwardWeight final : Op {
  explicit BatchNormBackwardWeight(DType d) : dtype(d) {}
  DType dtype;

  std::string_view kind() const override { return "batch_norm_backward_weight"; }
  std::string attributes() const override { return in_words("dtype", dtype); }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 1; }
  std::vector<Signature> signatures(Types inputs) const override;
};

/// (x[N, C, …], gamma[C], beta[C], mean f32[C], variance f32[C][, residual]) -> y: BatchNorm by running statistics.
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

/// (moments[G, 4, C]) -> mean f32[C], variance f32[C]: summed over the groups, the variance unbiased (by n − 1; by n
/// where a group has one value). What Observation adds up.
struct ObserveMoments final : Op {
  std::string_view kind() const override { return "observe_moments"; }
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override {
    return 5.0 / moment_rows;
  }  ///< of a group: the mean one, the variance two, and two to add them
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

/// The nodes of one normalisation, with its substitute in evaluation and its observations. Parameters and statistics
/// NAME.weight (1), NAME.bias (0), NAME.running_mean (0) and NAME.running_var (1), as torchvision names them.
/// `residual` may be absent. Returns y.
TensorId add_batch_norm(Graph& graph, const std::string& name, TensorId x, TensorId residual,
                        BatchNormAttributes attributes, Activation activation, float momentum = 0.1F);

/// Samples that must stay together in a shard of the batch: the least common multiple of the groups' samples, 1 without
/// any. A group of 0 does not count.
std::int64_t samples_per_statistic(const Graph& graph);
/// Whether some group is the whole (micro-)batch.
bool normalises_whole_batch(const Graph& graph);

/// `forward` with the moments of a group that is the whole batch made of `parts` parts of it, and combined; `parts`
/// divides the batch. All else, and every number but for rounding, stays.
Graph with_moments_in_parts(const Graph& forward, int parts);

}  // namespace ddlbench::graph
