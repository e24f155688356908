#pragma once

#include <cmath>
#include <cstdint>

#include "graph/host_device.h"
#include "graph/ops/optimizer.h"
#include "graph/scalars.h"

/// The arithmetic of one element in an optimizer, shared by all devices and computed in the type `Real`. A rule has the
/// optimizer's attributes. Given a step's scalars and clip factor, `at` returns what all elements have in common in
/// that step. That object has
/// - terms(exempt, norms): returns what the elements of a tensor share; `norms` is its row, or null if there is none;
/// - (w, g, states, terms): updates one element; g is the gradient after unscaling and clipping;
/// - measure(w, g, states, terms), if the op measures: returns the contribution to the tensor's row of norms.
namespace ddlbench::kernels {

/// The decisions about a step that depend on the norm of the gradients.
template <class Real>
struct Gate {
  Real clip;
  Real scale;  ///< factor of gradients: clip / loss scale
  bool skips;

  /// `squared_norm` is null if the op does not have that input.
  DDLBENCH_HOST_DEVICE Gate(const graph::Scalars& scalars, const graph::Guard& guard, const float* squared_norm)
      : clip(1), scale(Real(1) / Real(scalars.scaler.scale)), skips(false) {
    if (squared_norm == nullptr) return;
    const Real squared = *squared_norm;
    skips = guard.skip_overflow && !(squared - squared == Real(0));
    if (guard.max_norm <= 0) return;
    const Real wanted = Real(guard.max_norm) / (std::sqrt(squared) + Real(1e-6));
    if (!(wanted >= Real(1))) clip = wanted;  // also if it is NaN
    scale *= clip;
  }
};

/// Values that all elements of a tensor share.
template <class Real>
struct TensorTerms {
  Real weight_decay;
  Real rate;
};

/// The two sums in a tensor's row of norms.
template <class Real>
struct RowTerms {
  Real first, second;
};

template <class Real>
struct SgdStep {
  Real learning_rate, momentum, weight_decay;
  bool keeps_velocity, nesterov;

  DDLBENCH_HOST_DEVICE TensorTerms<Real> terms(bool exempt, const float*) const {
    return {exempt ? Real(0) : weight_decay, Real(1)};
  }
  DDLBENCH_HOST_DEVICE void operator()(Real& w, Real g, Real* states, const TensorTerms<Real>& terms) const {
    const Real slope = g + terms.weight_decay * w;
    Real velocity = slope;
    if (keeps_velocity) states[0] = velocity = momentum * states[0] + slope;
    w -= learning_rate * (nesterov ? slope + momentum * velocity : velocity);
  }
};

template <int kept>
struct SgdRule {
  static constexpr int states = kept;
  static constexpr bool needs_norms = false, changes_states = true;
  float momentum, weight_decay;
  bool nesterov;

  explicit SgdRule(const graph::SgdUpdate& op)
      : momentum(op.momentum), weight_decay(op.weight_decay), nesterov(op.nesterov) {}
  template <class Real>
  DDLBENCH_HOST_DEVICE SgdStep<Real> at(const graph::Scalars& scalars, Real /*clip*/) const {
    return {Real(scalars.learning_rate), Real(momentum), Real(weight_decay), kept == 1, nesterov};
  }
};

/// The first and second moment, with the factors of their bias correction.
template <class Real>
struct Moments {
  Real beta1, beta2, epsilon;
  Real inverse_first, inverse_second;  ///< 1 / (1 − βᵗ)

  DDLBENCH_HOST_DEVICE Moments(const graph::Scalars& scalars, float b1, float b2, float e)
      : beta1(b1), beta2(b2), epsilon(e) {
    const double t = static_cast<double>(scalars.scaler.updates + 1);
    inverse_first = static_cast<Real>(1 / (1 - std::pow(static_cast<double>(b1), t)));
    inverse_second = static_cast<Real>(1 / (1 - std::pow(static_cast<double>(b2), t)));
  }
  DDLBENCH_HOST_DEVICE void add(Real g, Real* states) const {
    states[0] = beta1 * states[0] + (Real(1) - beta1) * g;
    states[1] = beta2 * states[1] + (Real(1) - beta2) * g * g;
  }
  /// Returns m̂ / (√v̂ + ε).
  DDLBENCH_HOST_DEVICE Real direction(const Real* states) const {
    return inverse_first * states[0] / (std::sqrt(states[1] * inverse_second) + epsilon);
  }
};

template <class Real>
struct AdamStep {
  Moments<Real> moments;
  Real learning_rate, weight_decay;
  bool decoupled;

  DDLBENCH_HOST_DEVICE TensorTerms<Real> terms(bool exempt, const float*) const {
    return {exempt ? Real(0) : weight_decay, Real(1)};
  }
  DDLBENCH_HOST_DEVICE void operator()(Real& w, Real g, Real* states, const TensorTerms<Real>& terms) const {
    const Real decay = terms.weight_decay * w;
    moments.add(decoupled ? g : g + decay, states);
    w -= learning_rate * (moments.direction(states) + (decoupled ? decay : Real(0)));
  }
};

struct AdamRule {
  static constexpr int states = 2;
  static constexpr bool needs_norms = false, changes_states = true;
  float beta1, beta2, epsilon, weight_decay;
  bool decoupled;

  explicit AdamRule(const graph::AdamUpdate& op)
      : beta1(op.beta1), beta2(op.beta2), epsilon(op.epsilon), weight_decay(op.weight_decay), decoupled(op.decoupled) {}
  template <class Real>
  DDLBENCH_HOST_DEVICE AdamStep<Real> at(const graph::Scalars& scalars, Real /*clip*/) const {
    return {Moments<Real>(scalars, beta1, beta2, epsilon), Real(scalars.learning_rate), Real(weight_decay), decoupled};
  }
};

template <class Real>
struct LarsStep {
  Real learning_rate, momentum, weight_decay, trust_coefficient, epsilon;
  Real clip;  ///< factor of gradients; the norms are those before clipping

  DDLBENCH_HOST_DEVICE TensorTerms<Real> terms(bool exempt, const float* norms) const {
    if (exempt) return {Real(0), learning_rate};
    const Real weight = std::sqrt(Real(norms[0])), gradient = std::sqrt(Real(norms[1])) * clip;
    const bool some = weight != Real(0) && gradient != Real(0);
    const Real rate = some ? trust_coefficient * weight / (gradient + weight_decay * weight + epsilon) : Real(1);
    return {weight_decay, learning_rate * rate};
  }
  DDLBENCH_HOST_DEVICE void operator()(Real& w, Real g, Real* states, const TensorTerms<Real>& terms) const {
    states[0] = momentum * states[0] + terms.rate * (g + terms.weight_decay * w);
    w -= states[0];
  }
};

struct LarsRule {
  static constexpr int states = 1;
  static constexpr bool needs_norms = true, changes_states = true;
  float momentum, weight_decay, trust_coefficient, epsilon;

  explicit LarsRule(const graph::LarsUpdate& op)
      : momentum(op.momentum),
        weight_decay(op.weight_decay),
        trust_coefficient(op.trust_coefficient),
        epsilon(op.epsilon) {}
  template <class Real>
  DDLBENCH_HOST_DEVICE LarsStep<Real> at(const graph::Scalars& scalars, Real clip) const {
    return {Real(scalars.learning_rate), Real(momentum), Real(weight_decay),
            Real(trust_coefficient),     Real(epsilon),  clip};
  }
};

template <class Real>
struct LambStep {
  Moments<Real> moments;
  Real learning_rate, weight_decay;

  DDLBENCH_HOST_DEVICE TensorTerms<Real> terms(bool exempt, const float* norms) const {
    if (exempt) return {Real(0), learning_rate};
    const bool some = norms != nullptr && norms[0] != 0 && norms[1] != 0;
    return {weight_decay, learning_rate * (some ? std::sqrt(Real(norms[0]) / Real(norms[1])) : Real(1))};
  }
  DDLBENCH_HOST_DEVICE Real direction(Real w, const Real* states, const TensorTerms<Real>& terms) const {
    return moments.direction(states) + terms.weight_decay * w;
  }
  DDLBENCH_HOST_DEVICE void operator()(Real& w, Real, const Real* states, const TensorTerms<Real>& terms) const {
    w -= terms.rate * direction(w, states, terms);
  }
  DDLBENCH_HOST_DEVICE RowTerms<Real> measure(Real w, Real g, Real* states, const TensorTerms<Real>& terms) const {
    moments.add(g, states);
    const Real u = direction(w, states, terms);
    return {w * w, u * u};
  }
};

/// The rule of both ops of LAMB, LambMeasure and LambUpdate.
struct LambRule {
  static constexpr int states = 2;
  static constexpr bool needs_norms = true, changes_states = false;
  float beta1, beta2, epsilon, weight_decay;

  explicit LambRule(const auto& op)
      : beta1(op.beta1), beta2(op.beta2), epsilon(op.epsilon), weight_decay(op.weight_decay) {}
  template <class Real>
  DDLBENCH_HOST_DEVICE LambStep<Real> at(const graph::Scalars& scalars, Real /*clip*/) const {
    return {Moments<Real>(scalars, beta1, beta2, epsilon), Real(scalars.learning_rate), Real(weight_decay)};
  }
};

/// Measures the weights and the gradients themselves.
template <class Real>
struct NormStep {
  DDLBENCH_HOST_DEVICE TensorTerms<Real> terms(bool, const float*) const { return {}; }
  DDLBENCH_HOST_DEVICE RowTerms<Real> measure(Real w, Real g, Real*, const TensorTerms<Real>&) const {
    return {w * w, g * g};
  }
};

struct NormRule {
  static constexpr int states = 0;
  template <class Real>
  DDLBENCH_HOST_DEVICE NormStep<Real> at(const graph::Scalars&, Real /*clip*/) const {
    return {};
  }
};

}  // namespace ddlbench::kernels
