#pragma once

#include <cmath>
#include <cstdint>

#include "graph/ops/activation.h"
#include "graph/ops/gelu.h"
#include "graph/ops/optimizer.h"
#include "graph/random.h"
#include "graph/scalars.h"
#include "kernels/exponential.h"

/// The arithmetic of one element, shared by all devices; `Real` is the type that it is done in.
namespace ddlbench::kernels {

/// f(z). What is not a number stays so: a relu must not hide it.
template <class Real>
DDLBENCH_HOST_DEVICE inline Real activate(graph::Activation f, Real z) {
  return f == graph::Activation::relu && z < Real(0) ? Real(0) : z;
}

/// dy · f'(z), where y = f(z).
template <class Real>
DDLBENCH_HOST_DEVICE inline Real activation_gradient(graph::Activation f, Real dy, Real y) {
  return f == graph::Activation::relu && y <= Real(0) ? Real(0) : dy;
}

/// x Φ(x) and its derivative, Φ the standard normal distribution. The tanh form is x σ(2u),
/// u = √(2/π) (x + 0.044715 x³), because (1 + tanh u) / 2 = σ(2u).
template <class Real>
struct GeluPoint {
  Real x, phi, slope;  ///< Φ(x), Φ'(x)

  DDLBENCH_HOST_DEVICE GeluPoint(graph::GeluForm form, Real at) : x(at) {
    if (form == graph::GeluForm::exact) {
      phi = Real(0.5) * std::erfc(-x * Real(0.70710678118654752));
      slope = Real(0.39894228040143268) * exponential(Real(-0.5) * x * x);
      return;
    }
    constexpr Real root = Real(0.79788456080286536), cubic = Real(0.044715);
    phi = Real(1) / (Real(1) + exponential(Real(-2) * root * (x + cubic * x * x * x)));
    slope = Real(2) * phi * (Real(1) - phi) * root * (Real(1) + Real(3) * cubic * x * x);
  }
  DDLBENCH_HOST_DEVICE Real value() const { return x * phi; }
  DDLBENCH_HOST_DEVICE Real derivative() const { return phi + x * slope; }
};

/// One element of SgdUpdate.
template <class Real>
struct SgdStep {
  Real learning_rate, inverse_scale, momentum, weight_decay;

  DDLBENCH_HOST_DEVICE SgdStep(const graph::Scalars& scalars, float m, float decay)
      : learning_rate(scalars.learning_rate),
        inverse_scale(Real(1) / scalars.loss_scale),
        momentum(m),
        weight_decay(decay) {}

  DDLBENCH_HOST_DEVICE Real velocity(Real w, Real g, Real v) const {
    return momentum * v + (g * inverse_scale + weight_decay * w);
  }
  DDLBENCH_HOST_DEVICE Real weight(Real w, Real velocity_after) const { return w - learning_rate * velocity_after; }
};

/// One element of AdamUpdate (Kingma & Ba, algorithm 1).
template <class Real>
struct AdamStep {
  Real inverse_scale, weight_decay, beta1, beta2, epsilon;
  Real step_size;                  ///< learning rate / (1 − β1ᵗ)
  Real inverse_second_correction;  ///< 1 / (1 − β2ᵗ)

  DDLBENCH_HOST_DEVICE AdamStep(const graph::Scalars& scalars, float b1, float b2, float e, float decay)
      : inverse_scale(Real(1) / scalars.loss_scale), weight_decay(decay), beta1(b1), beta2(b2), epsilon(e) {
    const double t = static_cast<double>(scalars.step + 1);
    step_size = static_cast<Real>(scalars.learning_rate / (1 - std::pow(static_cast<double>(b1), t)));
    inverse_second_correction = static_cast<Real>(1 / (1 - std::pow(static_cast<double>(b2), t)));
  }

  DDLBENCH_HOST_DEVICE Real gradient(Real w, Real g) const { return g * inverse_scale + weight_decay * w; }
  DDLBENCH_HOST_DEVICE Real first_moment(Real slope, Real m) const { return beta1 * m + (Real(1) - beta1) * slope; }
  DDLBENCH_HOST_DEVICE Real second_moment(Real slope, Real v) const {
    return beta2 * v + (Real(1) - beta2) * slope * slope;
  }
  DDLBENCH_HOST_DEVICE Real weight(Real w, Real m, Real v) const {
    return w - step_size * m / (std::sqrt(v * inverse_second_correction) + epsilon);
  }
};

/// What cross-entropy needs of one row of logits.
template <class Real>
struct SoftmaxRow {
  Real maximum;
  Real sum;              ///< of exp(logit − maximum)
  std::int64_t largest;  ///< index of the first largest logit

  DDLBENCH_HOST_DEVICE SoftmaxRow(const float* logits, std::int64_t classes) : maximum(logits[0]), sum(0), largest(0) {
    for (std::int64_t c = 1; c < classes; ++c) {
      if (logits[c] > maximum) {
        maximum = logits[c];
        largest = c;
      }
    }
    for (std::int64_t c = 0; c < classes; ++c) sum += exponential(Real(logits[c]) - maximum);
  }

  /// −log softmax at a logit.
  DDLBENCH_HOST_DEVICE Real loss(Real logit) const { return std::log(sum) + maximum - logit; }
  DDLBENCH_HOST_DEVICE Real probability(Real logit) const { return exponential(logit - maximum) / sum; }
};

}  // namespace ddlbench::kernels
