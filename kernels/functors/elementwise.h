#pragma once

#include <cmath>
#include <cstdint>

#include "graph/host_device.h"
#include "graph/ops/activation.h"
#include "graph/ops/gelu.h"
#include "graph/scalars.h"
#include "kernels/functors/exponential.h"

/// The arithmetic of one element, shared by all devices and computed in the type `Real`.
namespace ddlbench::kernels {

/// Returns f(z). NaN stays NaN: a ReLU must not hide it.
template <class Real>
DDLBENCH_HOST_DEVICE inline Real activate(graph::Activation f, Real z) {
  return f == graph::Activation::relu && z < Real(0) ? Real(0) : z;
}

/// Returns dy · f'(z), where y = f(z).
template <class Real>
DDLBENCH_HOST_DEVICE inline Real activation_gradient(graph::Activation f, Real dy, Real y) {
  return f == graph::Activation::relu && y <= Real(0) ? Real(0) : dy;
}

/// GELU x Φ(x) at a point, and its derivative; Φ is the standard normal distribution. The tanh form is x σ(2u) with u =
/// √(2/π) (x + 0.044715 x³), because (1 + tanh u) / 2 = σ(2u).
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

}  // namespace ddlbench::kernels
