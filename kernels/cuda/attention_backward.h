#pragma once

#include "kernels/cuda/attention_tiles.h"

namespace ddlbench::kernels::cuda {

/// Operands of the gradient. `means` is scratch memory for Σ dy y of each head and position, in the layout of
/// logsumexp.
struct AttentionGradient {
  const float *dy, *qkv, *y, *logsumexp;
  float* dqkv;
  float* means;
};

/// Computes a.means[index], for row `index` of [batch, heads, positions].
DDLBENCH_HOST_DEVICE inline void attention_mean(const AttentionSizes& z, const AttentionGradient& a,
                                                std::int64_t index) {
  const std::int64_t head = index / z.positions;
  const std::int64_t at = z.y_offset(head / z.heads, head % z.heads) + index % z.positions * z.y_row();
  float sum = 0;
  for (std::int64_t d = 0; d < z.head_size; ++d) sum += a.dy[at + d] * a.y[at + d];
  a.means[index] = sum;
}

/// Shared memory of a block.
template <int Tile, int Depth>
struct AttentionBackwardShared {
  using Tiles = AttentionTiles<Tile, Depth>;
  typename Tiles::Features query, key, value, dy;
  typename Tiles::Scores softmax, gradient;
  float logsumexp[Tile], mean[Tile];
};

template <int Tile, int Depth>
struct AttentionBackward {
  using Tiles = AttentionTiles<Tile, Depth>;
  using Shared = AttentionBackwardShared<Tile, Depth>;

  static DDLBENCH_HOST_DEVICE void load_queries(int t, Shared& shared, const AttentionSizes& z,
                                                const AttentionGradient& a, std::int64_t b, std::int64_t h,
                                                std::int64_t begin) {
    Tiles::load(t, shared.query, a.qkv + z.qkv_offset(b, h), z.qkv_row(), begin, z);
    Tiles::load(t, shared.dy, a.dy + z.y_offset(b, h), z.y_row(), begin, z);
    if (t >= Tile) return;
    const bool there = begin + t < z.positions;
    shared.logsumexp[t] = there ? a.logsumexp[z.statistics_offset(b, h) + begin + t] : 0.0f;
    shared.mean[t] = there ? a.means[z.statistics_offset(b, h) + begin + t] : 0.0f;
  }

  static DDLBENCH_HOST_DEVICE void load_keys(int t, Shared& shared, const AttentionSizes& z, const AttentionGradient& a,
                                             std::int64_t b, std::int64_t h, std::int64_t begin) {
    const float* key = a.qkv + z.qkv_offset(b, h) + z.head_size;
    Tiles::load(t, shared.key, key, z.qkv_row(), begin, z);
    Tiles::load(t, shared.value, key + z.head_size, z.qkv_row(), begin, z);
  }

  /// Computes the softmax of a tile and the gradient of its scores. Both are 0 where the causal mask hides the key.
  static DDLBENCH_HOST_DEVICE void fill(int t, Shared& shared, const AttentionSizes& z, float scale,
                                        std::int64_t queries, std::int64_t keys) {
    const auto products = Tiles::product(t, shared.query, shared.key);
    const auto from_values = Tiles::product(t, shared.dy, shared.value);
    Tiles::for_each(t, [&](int i, int j, int row, int column) {
      const bool visible = keys + column <= queries + row && queries + row < z.positions;
      const float p = visible ? exponential(products.at[i][j] * scale - shared.logsumexp[row]) : 0.0f;
      const float ds = visible ? p * (from_values.at[i][j] - shared.mean[row]) * scale : 0.0f;
      shared.softmax.at[row * Tiles::score_row + column] = p;
      shared.gradient.at[row * Tiles::score_row + column] = ds;
    });
  }

  /// Computes the gradients of one tile of keys and values.
  template <class Block>
  static DDLBENCH_HOST_DEVICE void keys_and_values(Block& block, Shared& shared, const AttentionSizes& z, float scale,
                                                   std::int64_t b, std::int64_t h, std::int64_t tile,
                                                   const AttentionGradient& a) {
    const std::int64_t begin = tile * Tile;
    typename Block::template Each<typename Tiles::Sum> dk, dv;
    block.run([&](int t) {
      load_keys(t, shared, z, a, b, h, begin);
      dk[t] = {};
      dv[t] = {};
    });
    for (std::int64_t queries = begin; queries < z.positions; queries += Tile) {
      block.run([&](int t) { load_queries(t, shared, z, a, b, h, queries); });
      block.run([&](int t) { fill(t, shared, z, scale, queries, begin); });
      block.run([&](int t) {
        Tiles::add_transposed(t, dv[t], shared.softmax, shared.dy);
        Tiles::add_transposed(t, dk[t], shared.gradient, shared.query);
      });
    }
    block.run([&](int t) {
      float* key = a.dqkv + z.qkv_offset(b, h) + z.head_size;
      const auto row_of = [t](int i) { return Tiles::rows * (t / attention_side) + i; };
      const auto once = [](int) { return 1.0f; };
      Tiles::store(t, dk[t], key, z.qkv_row(), begin, z, row_of, once);
      Tiles::store(t, dv[t], key + z.head_size, z.qkv_row(), begin, z, row_of, once);
    });
  }

  /// Computes the gradients of one tile of queries.
  template <class Block>
  static DDLBENCH_HOST_DEVICE void queries(Block& block, Shared& shared, const AttentionSizes& z, float scale,
                                           std::int64_t b, std::int64_t h, std::int64_t tile,
                                           const AttentionGradient& a) {
    const std::int64_t begin = tile * Tile;
    typename Block::template Each<typename Tiles::Sum> dq;
    block.run([&](int t) {
      load_queries(t, shared, z, a, b, h, begin);
      dq[t] = {};
    });
    for (std::int64_t keys = 0; keys <= begin; keys += Tile) {
      block.run([&](int t) { load_keys(t, shared, z, a, b, h, keys); });
      block.run([&](int t) { fill(t, shared, z, scale, begin, keys); });
      block.run([&](int t) { Tiles::add(t, dq[t], shared.gradient, shared.key); });
    }
    block.run([&](int t) {
      Tiles::store(
          t, dq[t], a.dqkv + z.qkv_offset(b, h), z.qkv_row(), begin, z,
          [t](int i) { return t / attention_side + attention_side * i; }, [](int) { return 1.0f; });
    });
  }
};

}  // namespace ddlbench::kernels::cuda
