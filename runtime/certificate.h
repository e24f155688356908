#pragma once

#include <string>
#include <vector>

#include "runtime/state.h"

namespace ddlbench::runtime {

/// The first steps of a training, whole: what two runs are compared by.
struct Trace {
  std::vector<double> losses;       ///< of each step
  Tensors first_gradients;          ///< of the first step that did not overflow
  Tensors initial;                  ///< parameters before the first step
  Tensors final;                    ///< parameters after the last
  Tensors initial_statistics = {};  ///< running statistics, where the model has some
  Tensors final_statistics = {};
};

/// How far one run is from another over the same samples.
struct Deviation {
  double loss = 0;  ///< max over steps of |l − r| / |r|
  double gradient = 0;  ///< max over tensors of ‖g − r‖ / max(‖r‖, floor); floor: 1e-6 of the largest ‖r‖ (some true
                        ///< gradients are zero)
  double update = 0;  ///< ‖Δ − Δr‖ / ‖Δr‖ of Δ = final − initial, over all parameters
  double statistic = 0;  ///< max over running statistics of ‖Δ − Δr‖ / max(‖Δr‖, floor), the floor as of gradients
};

/// A part is infinite where something of it is missing, misshapen or not finite, where the reference is
/// zero, and what is of Δ where the initial values differ. Without statistics in either run theirs is 0.
Deviation deviation(const Trace& trace, const Trace& reference);

/// How far the reference is from itself, rounded otherwise: `nudged` may begin with other weights, and each Δ is taken
/// from its own, so that what they differ by at first is not part of it.
Deviation noise(const Trace& nudged, const Trace& reference);

/// A tolerance from which on a part proves nothing. Of gradients, updates and statistics it is what the mildest of the
/// gross faults does: sums over two ranks that are halved, as where each has half of its batch and nobody adds up, are
/// 0.5 from the right ones (those of one rank's samples alone, unscaled, hardly less; nothing at all: 1). First losses
/// hardly depend on what was trained, but on what a network is given: of a network that knows nothing they vary by some
/// percent from batch to batch.
inline constexpr double vacuous_tolerance = 0.5;
inline constexpr double vacuous_loss_tolerance = 0.1;

/// A deviation held against the noise of the arithmetic itself.
struct Certificate {
  Deviation measured;
  Deviation noise;                 ///< of the same one-rank run, rounded otherwise
  double loss_tolerance = 0;       ///< max(floor, 10 · noise); the floor is 1e-4, or of parameters in 16 bits u
  double gradient_tolerance = 0;   ///< the same; 1e-3, or 8 u: u = 2⁻⁸ of bf16, 2⁻¹¹ of f16
  double update_tolerance = 0;     ///< the same
  double statistic_tolerance = 0;  ///< the same

  /// No tolerance is so wide, or for want of finite noise without bound, that a wrong training may well be within it.
  bool proves() const;
  /// It proves something, and each part is within its tolerance.
  bool holds() const;
};

/// `noise`: how far the reference is from itself, rounded otherwise. `parameters`: their type, as they are used.
Certificate certify(const Trace& trace, const Trace& reference, const Deviation& noise,
                    graph::DType parameters = graph::DType::f32);

}  // namespace ddlbench::runtime
