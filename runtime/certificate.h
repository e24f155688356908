#pragma once

#include <string>
#include <vector>

#include "runtime/state.h"

namespace ddlbench::runtime {

/// The first steps of a training run as whole tensors, for comparing two runs.
struct Trace {
  std::vector<double> losses;       ///< one for each step
  Tensors first_gradients;          ///< of the first step that did not overflow
  Tensors initial;                  ///< parameters before the first step
  Tensors final;                    ///< parameters after the last step
  Tensors initial_statistics = {};  ///< running statistics, if the model has any
  Tensors final_statistics = {};
};

/// The deviation of one run from another over the same samples.
struct Deviation {
  double loss = 0;  ///< max over steps of |l − r| / |r|
  /// Max over tensors of ‖g − r‖ / max(‖r‖, floor). The floor is 1e-6 of the largest ‖r‖, because some true gradients
  /// are zero.
  double gradient = 0;
  double update = 0;  ///< ‖Δ − Δr‖ / ‖Δr‖ over all parameters, with Δ = final − initial
  /// Max over running statistics of ‖Δ − Δr‖ / max(‖Δr‖, floor), with a floor as for gradients.
  double statistic = 0;
};

/// Returns the deviation of `trace` from `reference`. A part is infinite if one of its values is missing, of the wrong
/// shape or not finite, or if the reference is zero. `update` and `statistic` are also infinite if the initial values
/// differ. `statistic` is 0 if neither run has statistics.
Deviation deviation(const Trace& trace, const Trace& reference);

/// Returns the deviation of the reference from itself with different rounding. `nudged` may start from other weights:
/// each Δ is taken from the initial weights of its own run, so that the initial difference does not count.
Deviation noise(const Trace& nudged, const Trace& reference);

/// Tolerances from which a part proves nothing. For gradients, updates and statistics this is the effect of the mildest
/// gross fault: sums over two ranks that are half of what they should be, as when each rank has half of its batch and
/// nothing is summed, are 0.5 from the right ones. (Unscaled sums of one rank's samples deviate hardly less; no sum at
/// all gives 1.) The first losses depend little on what was trained but on the network's input: the loss of an
/// untrained network varies by some percent from batch to batch.
inline constexpr double vacuous_tolerance = 0.5;
inline constexpr double vacuous_loss_tolerance = 0.1;

/// A deviation compared with the noise of floating-point arithmetic.
struct Certificate {
  Deviation measured;
  Deviation noise;                 ///< of the same one-rank run with different rounding
  double loss_tolerance = 0;       ///< max(floor, 10 · noise); the floor is 1e-4, or u for 16-bit parameters
  double gradient_tolerance = 0;   ///< likewise with floor 1e-3, or 8 u; u = 2⁻⁸ for bf16 and 2⁻¹¹ for f16
  double update_tolerance = 0;     ///< like `gradient_tolerance`
  double statistic_tolerance = 0;  ///< like `gradient_tolerance`

  /// Returns false if a tolerance is so wide, or unbounded because the noise is not finite, that wrong training could
  /// pass.
  bool proves() const;
  /// Returns true if proves() and each part is within its tolerance.
  bool holds() const;
};

/// Certifies `trace`. `noise` is the deviation of the reference from itself with different rounding; `parameters` is
/// the type in which parameters are used.
Certificate certify(const Trace& trace, const Trace& reference, const Deviation& noise,
                    graph::DType parameters = graph::DType::f32);

}  // namespace ddlbench::runtime
