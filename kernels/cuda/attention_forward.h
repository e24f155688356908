#pragma once

#include "kernels/cuda/attention_tiles.h"

namespace ddlbench::kernels::cuda {

/// Shared memory of a block.
template <int Tile, int Depth>
struct AttentionForwardShared {
  using Tiles = AttentionTiles<Tile, Depth>;
  typename Tiles::Features query, other;  ///< other: the keys, then the values
  typename Tiles::Scores scores;
  float maximum[Tile], next_maximum[Tile];  ///< of the scores of each row so far
  float sum[Tile];                          ///< of exp(score − maximum)
  float factor[Tile];                       ///< exp(maximum − next_maximum)
  float partial_maximum[attention_threads], partial_sum[attention_threads];
};

/// Computes y and logsumexp of one tile of queries of head h of sample b, with an online softmax (Milakov & Gimelshein
/// 2018, Online normalizer calculation for softmax).
template <int Tile, int Depth, class Block>
DDLBENCH_HOST_DEVICE void attention_forward(Block& block, AttentionForwardShared<Tile, Depth>& shared,
                                            const AttentionSizes& z, float scale, std::int64_t b, std::int64_t h,
                                            std::int64_t tile, const float* qkv, float* y, float* logsumexp) {
  using Tiles = AttentionTiles<Tile, Depth>;
  constexpr int threads_per_row = Tiles::threads_per_row;
  const float* query = qkv + z.qkv_offset(b, h);
  const float *key = query + z.head_size, *value = key + z.head_size;
  const std::int64_t begin = tile * Tile;
  typename Block::template Each<typename Tiles::Sum> result;
  block.run([&](int t) {
    Tiles::load(t, shared.query, query, z.qkv_row(), begin, z);
    result[t] = {};
    if (t < Tile) {
      shared.maximum[t] = -INFINITY;
      shared.sum[t] = 0;
    }
  });
  for (std::int64_t seen = 0; seen <= begin; seen += Tile) {
    block.run([&](int t) { Tiles::load(t, shared.other, key, z.qkv_row(), seen, z); });
    block.run([&](int t) {
      const auto products = Tiles::product(t, shared.query, shared.other);
      Tiles::for_each(t, [&](int i, int j, int row, int column) {
        const bool visible = seen + column <= begin + row;
        shared.scores.at[row * Tiles::score_row + column] = visible ? products.at[i][j] * scale : -INFINITY;
      });
    });
    block.run([&](int t) {
      Tiles::load(t, shared.other, value, z.qkv_row(), seen, z);
      const float* row = shared.scores.at + t / threads_per_row * Tiles::score_row;
      float maximum = -INFINITY;
      for (int c = t % threads_per_row; c < Tile; c += threads_per_row) maximum = row[c] > maximum ? row[c] : maximum;
      shared.partial_maximum[t] = maximum;
    });
    block.run([&](int t) {
      const int r = t / threads_per_row;
      float maximum = shared.maximum[r];
      for (int helper = 0; helper < threads_per_row; ++helper) {
        const float other = shared.partial_maximum[r * threads_per_row + helper];
        maximum = other > maximum ? other : maximum;
      }
      float* row = shared.scores.at + r * Tiles::score_row;
      float sum = 0;
      for (int c = t % threads_per_row; c < Tile; c += threads_per_row) {
        const bool visible = seen + c <= begin + r;
        row[c] = visible ? exponential(row[c] - maximum) : 0.0f;
        sum += row[c];
      }
      shared.partial_sum[t] = sum;
      if (t % threads_per_row != 0) return;
      shared.factor[r] = seen == 0 ? 0.0f : exponential(shared.maximum[r] - maximum);
      shared.next_maximum[r] = maximum;
    });
    block.run([&](int t) {
      for (int i = 0; i < Tiles::rows; ++i)
        for (int c = 0; c < Tiles::packs; ++c)
          for (int e = 0; e < 4; ++e) result[t].at[i][c].v[e] *= shared.factor[t / attention_side + attention_side * i];
      Tiles::add(t, result[t], shared.scores, shared.other);
      if (t >= Tile) return;
      float sum = shared.sum[t] * shared.factor[t];
      for (int helper = 0; helper < threads_per_row; ++helper) sum += shared.partial_sum[t * threads_per_row + helper];
      shared.sum[t] = sum;
      shared.maximum[t] = shared.next_maximum[t];
    });
  }
  block.run([&](int t) {
    Tiles::store(
        t, result[t], y + z.y_offset(b, h), z.y_row(), begin, z,
        [t](int i) { return t / attention_side + attention_side * i; }, [&](int r) { return 1.0f / shared.sum[r]; });
    if (t < Tile && begin + t < z.positions)
      logsumexp[z.statistics_offset(b, h) + begin + t] = shared.maximum[t] + std::log(shared.sum[t]);
  });
}

}  // namespace ddlbench::kernels::cuda
