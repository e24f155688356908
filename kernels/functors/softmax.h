#pragma once

#include <cmath>
#include <cstdint>

#include "graph/host_device.h"
#include "kernels/functors/exponential.h"

/// The arithmetic of one row of cross-entropy, shared by all devices and computed in the type `Real`.
namespace ddlbench::kernels {

/// The normalisation of a softmax: the largest logit and the sum of exponentials.
template <class Real>
struct Softmax {
  Real maximum;
  Real sum;  ///< of exp(logit − maximum)

  DDLBENCH_HOST_DEVICE Real log_sum() const { return std::log(sum) + maximum; }
  DDLBENCH_HOST_DEVICE Real probability(Real logit) const { return exponential(logit - maximum) / sum; }
};

/// The target distribution with label smoothing s: (1 − s) onehot(label) + s / classes.
template <class Real>
struct SmoothedTarget {
  Real smoothing;
  Real classes;

  DDLBENCH_HOST_DEVICE SmoothedTarget(float s, std::int64_t c) : smoothing(s), classes(static_cast<Real>(c)) {}

  DDLBENCH_HOST_DEVICE bool smooths() const { return smoothing != Real(0); }
  /// Returns the loss. `total` is the sum of all logits; it is not used if the smoothing is 0.
  DDLBENCH_HOST_DEVICE Real loss(const Softmax<Real>& softmax, Real label_logit, Real total) const {
    const Real loss = softmax.log_sum() - label_logit;
    return smooths() ? loss + smoothing * (label_logit - total / classes) : loss;
  }
  DDLBENCH_HOST_DEVICE Real gradient(Real probability, bool is_label) const {
    return probability - (is_label ? Real(1) - smoothing : Real(0)) - smoothing / classes;
  }
  DDLBENCH_HOST_DEVICE Real gradient(const Softmax<Real>& softmax, Real logit, bool is_label) const {
    return gradient(softmax.probability(logit), is_label);
  }
};

/// Returns whether a logit ranks before that of the label: it is larger, or equal with a smaller index. False if either
/// is NaN.
DDLBENCH_HOST_DEVICE inline bool ranks_before(float logit, std::int64_t index, float label_logit, std::int64_t label) {
  return logit > label_logit || (logit == label_logit && index < label);
}

constexpr std::int64_t top5 = 5;

}  // namespace ddlbench::kernels
