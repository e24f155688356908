#pragma once

#include <cmath>
#include <cstdint>

#include "graph/host_device.h"
#include "kernels/functors/exponential.h"

/// The arithmetic of one row of cross-entropy, shared by all devices; `Real` is the type that it is done in.
namespace ddlbench::kernels {

/// The sum of a softmax's exponentials, by which its logits are scaled.
template <class Real>
struct Softmax {
  Real maximum;
  Real sum;  ///< of exp(logit − maximum)

  DDLBENCH_HOST_DEVICE Real log_sum() const { return std::log(sum) + maximum; }
  DDLBENCH_HOST_DEVICE Real probability(Real logit) const { return exponential(logit - maximum) / sum; }
};

/// What is aimed at: (1 − s) onehot(label) + s / classes.
template <class Real>
struct SmoothedTarget {
  Real smoothing;
  Real classes;

  DDLBENCH_HOST_DEVICE SmoothedTarget(float s, std::int64_t c) : smoothing(s), classes(static_cast<Real>(c)) {}

  DDLBENCH_HOST_DEVICE bool smooths() const { return smoothing != Real(0); }
  /// `total` of all logits; it does not matter where nothing is smoothed.
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

/// Whether a logit stands before that of the label: it is larger, or as large and earlier. What is no number stands
/// before none.
DDLBENCH_HOST_DEVICE inline bool stands_before(float logit, std::int64_t index, float label_logit, std::int64_t label) {
  return logit > label_logit || (logit == label_logit && index < label);
}

constexpr std::int64_t first_five = 5;

}  // namespace ddlbench::kernels
