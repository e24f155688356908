#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/transpose.h"
#include "kernels/cpu/winograd_tiles.h"

/// Weights in the op's layout and transformed weights.
namespace ddlbench::kernels::cpu::winograd {

/// The weights between `lanes` input channels and `lanes` output channels, a part of [outputs, inputs, taps], as
/// vectors of output channels.
struct Weights {
  Lanes of[lanes * taps];  ///< [inputs, taps]

  Lanes& at(int input, int tap) { return of[input * taps + tap]; }
  Lanes at(int input, int tap) const { return of[input * taps + tap]; }

  /// `step` is the distance between two output channels, in elements.
  template <class T>
  void load(const T* weights, std::int64_t step) {
    for (int part = 0; part < taps * lanes; part += lanes) {
      Lanes rows[lanes];
      DDLBENCH_UNROLL_FULLY
      for (int o = 0; o < lanes; ++o) rows[o] = load_vector<lanes>(weights + o * step + part);
      transpose(rows);
      std::copy_n(rows, lanes, of + part);
    }
  }

  template <class T>
  void store(T* weights, std::int64_t step, bool accumulate) const {
    for (int part = 0; part < taps * lanes; part += lanes) {
      Lanes rows[lanes];
      std::copy_n(of + part, lanes, rows);
      transpose(rows);
      DDLBENCH_UNROLL_FULLY
      for (int o = 0; o < lanes; ++o) write_vector<lanes>(weights + o * step + part, rows[o], accumulate);
    }
  }

  /// Transposes to vectors of input channels and rotates windows by 180°, for the convolution whose outputs are the
  /// gradients of inputs.
  void rotate() {
    for (int t = 0; t < taps; ++t) {
      Lanes rows[lanes];
      DDLBENCH_UNROLL_FULLY
      for (int i = 0; i < lanes; ++i) rows[i] = at(i, t);
      transpose(rows);
      DDLBENCH_UNROLL_FULLY
      for (int o = 0; o < lanes; ++o) at(o, t) = rows[o];
    }
    for (int i = 0; i < lanes; ++i) std::reverse(of + i * taps, of + (i + 1) * taps);
  }
};

/// The layout of the transformed weights of channels_at_once outputs: [positions, inputs, channels_at_once]. Positions
/// are an odd number of vectors apart, as in Transformed.
struct Filters {
  std::int64_t blocks = 0;  ///< of input channels

  static constexpr std::int64_t block_step = channels_at_once * lanes;
  std::int64_t position_step() const { return blocks * block_step + lanes; }
  std::int64_t floats() const { return positions * position_step(); }

  /// Transforms `weights`, which belong to vector number `vector` of output channels and block number `block` of input
  /// channels.
  void transform(const Weights& weights, std::int64_t block, int vector, float* filters) const {
    float* const first = filters + block * block_step + vector * lanes;
    for (int i = 0; i < lanes; ++i) {
      transform_2d<WeightTransform>([&](int r, int c) { return weights.at(i, r * window + c); },
                                    [&](int r, int c, Lanes u) {
                                      store_vector<lanes>(
                                          first + i * channels_at_once + (r * points + c) * position_step(), u);
                                    });
    }
  }

  /// Returns the gradients of weights for vector number `vector` of output channels, from those of the first block of
  /// transformed weights.
  Weights gradients(int vector, const float* filters) const {
    const float* const first = filters + vector * lanes;
    Weights weights;
    for (int i = 0; i < lanes; ++i) {
      transform_2d<WeightGradientTransform>(
          [&](int r, int c) {
            return load_vector<lanes>(first + i * channels_at_once + (r * points + c) * position_step());
          },
          [&](int r, int c, Lanes g) { weights.at(i, r * window + c) = g; });
    }
    return weights;
  }
};

}  // namespace ddlbench::kernels::cpu::winograd
