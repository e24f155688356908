#pragma once

#include "kernels/cpu/vector.h"

/// The transforms of F(4×4, 3×3), each along one dimension, of a vector register of channels. They generalise those of
/// Lavin & Gray 2016, which interpolate at 0, ±1, ±2 and ∞, to the points 0, ±a, ±b and ∞.
namespace ddlbench::kernels::cpu::winograd {

using Lanes = FloatVector<vector_lanes>;  ///< a vector register of channels

constexpr int lanes = vector_lanes;
constexpr int outputs = 4;  ///< of a tile, in each dimension
constexpr int window = 3;
constexpr int taps = window * window;
constexpr int points = 6;  ///< inputs of a tile, and products, in each dimension
constexpr int positions = points * points;

/// The points of interpolation. They have few binary digits, so that the matrices are exact, and their powers differ
/// less than those of 1 and 2: the largest error of a convolution of 192 channels of random numbers is a third of that
/// with 1 and 2.
constexpr float a = 0.625f, b = 1.5f;
constexpr float a2 = a * a, b2 = b * b;
/// The reciprocals of the interpolation's denominators.
constexpr float scale_zero = 1 / (a2 * b2), scale_a = 1 / (2 * a2 * (a2 - b2)), scale_b = 1 / (2 * b2 * (b2 - a2));

/// Computes the values of a polynomial at a, −a, b and −b from its even and odd parts at a and b.
inline void at_points(Lanes even_a, Lanes odd_a, Lanes even_b, Lanes odd_b, Lanes (&values)[points]) {
  values[1] = even_a + odd_a;
  values[2] = even_a - odd_a;
  values[3] = even_b + odd_b;
  values[4] = even_b - odd_b;
}

/// Bᵀ, of inputs: the coefficients of the polynomials that vanish at all finite points but one.
struct InputTransform {
  static constexpr int from = points, to = points;
  static void apply(const Lanes (&d)[from], Lanes (&t)[to]) {
    const Lanes even_a = d[4] - b2 * d[2], odd_a = a * (d[3] - b2 * d[1]);
    const Lanes even_b = d[4] - a2 * d[2], odd_b = b * (d[3] - a2 * d[1]);
    t[0] = a2 * b2 * d[0] - (a2 + b2) * d[2] + d[4];
    at_points(even_a, odd_a, even_b, odd_b, t);
    t[5] = a2 * b2 * d[1] - (a2 + b2) * d[3] + d[5];
  }
};

/// G, of weights: the values of a window's polynomial at each point, divided by the denominator.
struct WeightTransform {
  static constexpr int from = window, to = points;
  static void apply(const Lanes (&g)[from], Lanes (&u)[to]) {
    const Lanes even_a = scale_a * (g[0] + a2 * g[2]), odd_a = scale_a * a * g[1];
    const Lanes even_b = scale_b * (g[0] + b2 * g[2]), odd_b = scale_b * b * g[1];
    u[0] = scale_zero * g[0];
    at_points(even_a, odd_a, even_b, odd_b, u);
    u[5] = g[2];
  }
};

/// Aᵀ, from products to outputs.
struct OutputTransform {
  static constexpr int from = points, to = outputs;
  static void apply(const Lanes (&m)[from], Lanes (&y)[to]) {
    const Lanes even_a = m[1] + m[2], odd_a = a * (m[1] - m[2]);
    const Lanes even_b = m[3] + m[4], odd_b = b * (m[3] - m[4]);
    y[0] = m[0] + even_a + even_b;
    y[1] = odd_a + odd_b;
    y[2] = a2 * even_a + b2 * even_b;
    y[3] = a2 * odd_a + b2 * odd_b + m[5];
  }
};

/// A, from gradients of outputs to gradients of products.
struct OutputGradientTransform {
  static constexpr int from = outputs, to = points;
  static void apply(const Lanes (&y)[from], Lanes (&m)[to]) {
    const Lanes even_a = y[0] + a2 * y[2], odd_a = a * (y[1] + a2 * y[3]);
    const Lanes even_b = y[0] + b2 * y[2], odd_b = b * (y[1] + b2 * y[3]);
    m[0] = y[0];
    at_points(even_a, odd_a, even_b, odd_b, m);
    m[5] = y[3];
  }
};

/// Gᵀ, from gradients of transformed weights to gradients of weights.
struct WeightGradientTransform {
  static constexpr int from = points, to = window;
  static void apply(const Lanes (&u)[from], Lanes (&g)[to]) {
    const Lanes even_a = scale_a * (u[1] + u[2]), odd_a = scale_a * a * (u[1] - u[2]);
    const Lanes even_b = scale_b * (u[3] + u[4]), odd_b = scale_b * b * (u[3] - u[4]);
    g[0] = scale_zero * u[0] + even_a + even_b;
    g[1] = odd_a + odd_b;
    g[2] = a2 * even_a + b2 * even_b + u[5];
  }
};

/// Applies `Transform` along both dimensions: reads with load(i, j) and writes with store(i, j, values).
template <class Transform, class Load, class Store>
inline void transform_2d(const Load& load, const Store& store) {
  constexpr int from = Transform::from, to = Transform::to;
  Lanes half[to][from];
  DDLBENCH_UNROLL_FULLY
  for (int j = 0; j < from; ++j) {
    Lanes column[from], transformed[to];
    DDLBENCH_UNROLL_FULLY
    for (int i = 0; i < from; ++i) column[i] = load(i, j);
    Transform::apply(column, transformed);
    DDLBENCH_UNROLL_FULLY
    for (int i = 0; i < to; ++i) half[i][j] = transformed[i];
  }
  DDLBENCH_UNROLL_FULLY
  for (int i = 0; i < to; ++i) {
    Lanes transformed[to];
    Transform::apply(half[i], transformed);
    DDLBENCH_UNROLL_FULLY
    for (int j = 0; j < to; ++j) store(i, j, transformed[j]);
  }
}

}  // namespace ddlbench::kernels::cpu::winograd
