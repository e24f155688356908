#pragma once

#include "kernels/functors/exponential.h"
#include "kernels/sizes/transformer.h"

/// Causal f32 attention in square tiles of scores, so that the S × S matrix is never in memory as a whole (Dao et al.
/// 2022, FlashAttention). Every sum has a fixed order: the gradients of queries, and those of keys and values, are
/// computed in two passes. In each pass a block exclusively owns what it writes.
///
/// The work of a block of threads is written in steps: `block.run([&](int thread) { … })` runs a step on all threads
/// before the next step begins. The state of a thread between steps is in a `Block::Each<T>`. On a GPU the threads are
/// those of the block (kernels/cuda/attention_kernels.cu); elsewhere a loop runs them.
namespace ddlbench::kernels::cuda {

constexpr int attention_threads = 256;  ///< per block, arranged as 16 × 16
constexpr int attention_side = 16;

/// Numbers that one load transfers.
template <int Count>
struct alignas(4 * Count) Pack {
  float v[Count];
};

template <int Count>
DDLBENCH_HOST_DEVICE inline const Pack<Count>& pack_at(const float* address) {
  return *reinterpret_cast<const Pack<Count>*>(address);
}

/// Tiles of `Tile` positions and at most `Depth` features; `Depth` is a multiple of 64. Rows are padded so that threads
/// that read different rows at the same time access different banks of shared memory.
template <int Tile, int Depth>
struct AttentionTiles {
  static constexpr int rows = Tile / attention_side;  ///< rows of a product per thread
  static constexpr int packs = Depth / 64;            ///< packs of 4 columns per thread
  static constexpr int row = Depth + 4, score_row = Tile + 4;
  static constexpr int threads_per_row = attention_threads / Tile;  ///< threads that share one row of scores

  struct Features {
    alignas(16) float at[Tile * row];
  };
  struct Scores {
    alignas(16) float at[Tile * score_row];
  };
  /// A thread's part of a · bᵀ: rows y + 16 i, columns x + 16 j.
  struct Square {
    float at[rows][rows];
  };
  /// A thread's part of a product with features: columns 4 x + 64 c, and rows y + 16 i, or, if the factor is
  /// transposed, rows · y + i.
  struct Sum {
    Pack<4> at[rows][packs];
  };

  /// Loads a tile from memory, with zeros beyond the last position and feature.
  static DDLBENCH_HOST_DEVICE void load(int thread, Features& tile, const float* from, std::int64_t stride,
                                        std::int64_t begin, const AttentionSizes& z) {
    for (int e = thread; e < Tile * Depth; e += attention_threads) {
      const int i = e / Depth, d = e % Depth;
      const bool there = begin + i < z.positions && d < z.head_size;
      tile.at[i * row + d] = there ? from[(begin + i) * stride + d] : 0.0f;
    }
  }

  static DDLBENCH_HOST_DEVICE Square product(int thread, const Features& a, const Features& b) {
    const int x = thread % attention_side, y = thread / attention_side;
    Square sum{};
    for (int d = 0; d < Depth; d += 4) {
      Pack<4> left[rows], right[rows];
      for (int i = 0; i < rows; ++i) left[i] = pack_at<4>(a.at + (y + attention_side * i) * row + d);
      for (int j = 0; j < rows; ++j) right[j] = pack_at<4>(b.at + (x + attention_side * j) * row + d);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < rows; ++j)
          for (int k = 0; k < 4; ++k) sum.at[i][j] += left[i].v[k] * right[j].v[k];
    }
    return sum;
  }

  /// Calls body(i, j, row, column) for each element (i, j) of the thread's part of a square; (row, column) is its place
  /// in the tile.
  static DDLBENCH_HOST_DEVICE void for_each(int thread, const auto& body) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j)
        body(i, j, thread / attention_side + attention_side * i, thread % attention_side + attention_side * j);
  }

  /// sum += p · b.
  static DDLBENCH_HOST_DEVICE void add(int thread, Sum& sum, const Scores& p, const Features& b) {
    const int x = thread % attention_side, y = thread / attention_side;
    for (int j = 0; j < Tile; j += 4) {
      Pack<4> left[rows];
      for (int i = 0; i < rows; ++i) left[i] = pack_at<4>(p.at + (y + attention_side * i) * score_row + j);
      for (int k = 0; k < 4; ++k) {
        for (int c = 0; c < packs; ++c) {
          const Pack<4> right = pack_at<4>(b.at + (j + k) * row + 4 * x + 64 * c);
          for (int i = 0; i < rows; ++i)
            for (int e = 0; e < 4; ++e) sum.at[i][c].v[e] += left[i].v[k] * right.v[e];
        }
      }
    }
  }

  /// sum += pᵀ · b.
  static DDLBENCH_HOST_DEVICE void add_transposed(int thread, Sum& sum, const Scores& p, const Features& b) {
    const int x = thread % attention_side, y = thread / attention_side;
    for (int k = 0; k < Tile; ++k) {
      const Pack<rows> left = pack_at<rows>(p.at + k * score_row + rows * y);
      for (int c = 0; c < packs; ++c) {
        const Pack<4> right = pack_at<4>(b.at + k * row + 4 * x + 64 * c);
        for (int i = 0; i < rows; ++i)
          for (int e = 0; e < 4; ++e) sum.at[i][c].v[e] += left.v[i] * right.v[e];
      }
    }
  }

  /// Writes the thread's part of a sum to the positions from `begin` on. `row_of(i)` returns the row of the tile of the
  /// part's row i, and `factor(row)` returns the factor by which that row is multiplied.
  template <class RowOf, class Factor>
  static DDLBENCH_HOST_DEVICE void store(int thread, const Sum& sum, float* to, std::int64_t stride, std::int64_t begin,
                                         const AttentionSizes& z, const RowOf& row_of, const Factor& factor) {
    for (int i = 0; i < rows; ++i) {
      const int r = row_of(i);
      if (begin + r >= z.positions) continue;
      const float times = factor(r);
      for (int c = 0; c < packs; ++c) {
        for (int e = 0; e < 4; ++e) {
          const int d = 4 * (thread % attention_side) + 64 * c + e;
          if (d < z.head_size) to[(begin + r) * stride + d] = sum.at[i][c].v[e] * times;
        }
      }
    }
  }
};

}  // namespace ddlbench::kernels::cuda
