#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/transpose.h"
#include "kernels/cpu/winograd_tiles.h"

/// Weights as an op has them, and transformed.
namespace ddlbench::kernels::cpu::winograd {

/// Those of `lanes` channels of outputs and `lanes` of inputs, a part of [outputs, inputs, taps], as vectors of
/// outputs' channels.
struct Weights {
  Lanes of[lanes * taps];  ///< [inputs, taps]

  Lanes& at(int input, int tap) { return of[input * taps + tap]; }
  Lanes at(int input, int tap) const { return of[input * taps + tap]; }

  /// `step`: from a channel of outputs to the next.
  template <class T>
  void load(const T* weights, std::int64_t step) {
    for (int part = 0; part < taps * lanes; part += lanes) {
      Lanes rows[lanes];
      DDLBENCH_WRITE_OUT
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
      DDLBENCH_WRITE_OUT
      for (int o = 0; o < lanes; ++o) write_vector<lanes>(weights + o * step + part, rows[o], accumulate);
    }
  }

  /// To vectors of inputs' channels, windows turned by 180°: the convolution whose outputs are gradients of inputs.
  void turn() {
    for (int t = 0; t < taps; ++t) {
      Lanes rows[lanes];
      DDLBENCH_WRITE_OUT
      for (int i = 0; i < lanes; ++i) rows[i] = at(i, t);
      transpose(rows);
      DDLBENCH_WRITE_OUT
      for (int o = 0; o < lanes; ++o) at(o, t) = rows[o];
    }
    for (int i = 0; i < lanes; ++i) std::reverse(of + i * taps, of + (i + 1) * taps);
  }
};

/// Transformed weights of channels_at_once outputs, [positions, inputs, channels_at_once], positions apart as those of
/// Transformed.
struct Filters {
  std::int64_t blocks = 0;  ///< of inputs

  static constexpr std::int64_t block_step = channels_at_once * lanes;
  std::int64_t position_step() const { return blocks * block_step + lanes; }
  std::int64_t floats() const { return positions * position_step(); }

  /// Of the vector'th `lanes` outputs and the block'th inputs.
  void transform(const Weights& weights, std::int64_t block, int vector, float* filters) const {
    float* const first = filters + block * block_step + vector * lanes;
    for (int i = 0; i < lanes; ++i) {
      along_both<OfWeights>([&](int r, int c) { return weights.at(i, r * window + c); },
                            [&](int r, int c, Lanes u) {
                              store_vector<lanes>(first + i * channels_at_once + (r * points + c) * position_step(), u);
                            });
    }
  }

  /// Of weights, from those of the first block's filters.
  Weights gradients(int vector, const float* filters) const {
    const float* const first = filters + vector * lanes;
    Weights weights;
    for (int i = 0; i < lanes; ++i) {
      along_both<OfWeightGradients>(
          [&](int r, int c) {
            return load_vector<lanes>(first + i * channels_at_once + (r * points + c) * position_step());
          },
          [&](int r, int c, Lanes g) { weights.at(i, r * window + c) = g; });
    }
    return weights;
  }
};

}  // namespace ddlbench::kernels::cpu::winograd
