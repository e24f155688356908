#include "graph/ops/attention.h"

#include <cmath>

#include "kernels/cpu/lanes.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/functors/exponential.h"
#include "kernels/operands.h"
#include "kernels/sizes/transformer.h"

/// Threads divide the heads among themselves. A head processes its queries in tiles. The workspace of the thread
/// contains the scores of one tile with the keys up to its last query, so the whole S × S matrix never exists.
namespace ddlbench::kernels::cpu {
namespace {

using onednn::Matrix;
using onednn::multiply;

constexpr std::int64_t tile_queries = 64;

/// Returns the work of all heads in plain elements, for parallel_parts. Exponentials dominate it.
std::int64_t elements_of(const AttentionSizes& z) {
  return z.batch * z.heads * z.positions * z.positions / 2 * cost_of_exponential;
}

std::size_t query_tile_elements(const AttentionSizes& z) {
  return static_cast<std::size_t>(std::min(tile_queries, z.positions) * z.positions);
}

float scale_of(const AttentionSizes& z) {
  return 1.0f / std::sqrt(static_cast<float>(z.head_size));
}

/// Pointers to query, key and value of one head in `qkv`, or to their gradients.
template <class T>
struct HeadParts {
  HeadParts(const AttentionSizes& z, T* qkv, std::int64_t b, std::int64_t h)
      : query(qkv + z.qkv_offset(b, h)), key(query + z.head_size), value(key + z.head_size) {}
  T *query, *key, *value;
};

/// A tile: queries [begin, end) with keys [0, end).
struct QueryTile {
  std::int64_t begin, end;
  std::int64_t queries() const { return end - begin; }
};

/// Computes scores[queries, keys] = q kᵀ / √D.
void score(const AttentionSizes& z, const HeadParts<const float>& head, QueryTile tile, float* scores) {
  multiply(tile.queries(), tile.end, z.head_size, scale_of(z),
           Matrix{head.query + tile.begin * z.qkv_row(), z.qkv_row()}, Matrix{head.key, z.qkv_row(), true}, false,
           scores, tile.end);
}

/// Computes in place the softmax of the first `seen` of the `keys` scores, and sets the others to 0. Returns the log of
/// the sum of exponentials.
float softmax(float* row, std::int64_t seen, std::int64_t keys) {
  float maximum = row[0];
  for (std::int64_t j = 1; j < seen; ++j) maximum = row[j] > maximum ? row[j] : maximum;
  DDLBENCH_INDEPENDENT
  for (std::int64_t j = 0; j < seen; ++j) row[j] = exponential(row[j] - maximum);
  const float sum = sum_in_lanes(seen, [row](std::int64_t j) { return row[j]; });
  const float inverse = 1.0f / sum;
  DDLBENCH_INDEPENDENT
  for (std::int64_t j = 0; j < seen; ++j) row[j] *= inverse;
  std::fill(row + seen, row + keys, 0.0f);
  return maximum + std::log(sum);
}

void forward_head(const AttentionSizes& z, const Arguments& a, std::int64_t b, std::int64_t h, float* scores) {
  const HeadParts<const float> head(z, input(a, 0), b, h);
  float* y = output(a, 0) + z.y_offset(b, h);
  float* logsumexp = output(a, 1) + z.statistics_offset(b, h);
  for (std::int64_t begin = 0; begin < z.positions; begin += tile_queries) {
    const QueryTile tile{begin, std::min(begin + tile_queries, z.positions)};
    score(z, head, tile, scores);
    for (std::int64_t i = tile.begin; i < tile.end; ++i)
      logsumexp[i] = softmax(scores + (i - tile.begin) * tile.end, i + 1, tile.end);
    multiply(tile.queries(), z.head_size, tile.end, 1.0f, {scores, tile.end}, {head.value, z.qkv_row()}, false,
             y + tile.begin * z.y_row(), z.y_row());
  }
}

/// Computes p = exp(score − logsumexp) and ds = p (dp − Σ dy y) / √D, row by row and in place: on entry, `p` contains
/// the scores and `ds` contains dp.
void gradient_of_scores(const AttentionSizes& z, QueryTile tile, const float* dy, const float* y,
                        const float* logsumexp, float* p, float* ds) {
  const float scale = scale_of(z);
  for (std::int64_t i = tile.begin; i < tile.end; ++i) {
    const float *dy_row = dy + i * z.y_row(), *y_row = y + i * z.y_row();
    const float mean = sum_in_lanes(z.head_size, [=](std::int64_t d) { return dy_row[d] * y_row[d]; });
    float *p_row = p + (i - tile.begin) * tile.end, *ds_row = ds + (i - tile.begin) * tile.end;
    const float normaliser = logsumexp[i];
    DDLBENCH_INDEPENDENT
    for (std::int64_t j = 0; j <= i; ++j) {
      p_row[j] = exponential(p_row[j] - normaliser);
      ds_row[j] = p_row[j] * (ds_row[j] - mean) * scale;
    }
    std::fill(p_row + i + 1, p_row + tile.end, 0.0f);
    std::fill(ds_row + i + 1, ds_row + tile.end, 0.0f);
  }
}

/// Processes the tiles from the last to the first: the last one sees all keys and writes their gradients, the others
/// add to them.
void backward_head(const AttentionSizes& z, const Arguments& a, std::int64_t b, std::int64_t h, float* p, float* ds) {
  const HeadParts<const float> head(z, input(a, 1), b, h);
  const HeadParts<float> gradient(z, output(a, 0), b, h);
  const float *dy = input(a, 0) + z.y_offset(b, h), *y = input(a, 2) + z.y_offset(b, h);
  const float* logsumexp = input(a, 3) + z.statistics_offset(b, h);
  const std::int64_t row = z.qkv_row(), size = z.head_size, last = (z.positions - 1) / tile_queries * tile_queries;
  for (std::int64_t begin = last; begin >= 0; begin -= tile_queries) {
    const QueryTile tile{begin, std::min(begin + tile_queries, z.positions)};
    const std::int64_t queries = tile.queries(), keys = tile.end;
    const bool add = begin != last;
    const float* tile_dy = dy + begin * z.y_row();
    score(z, head, tile, p);
    multiply(queries, keys, size, 1.0f, {tile_dy, z.y_row()}, {head.value, row, true}, false, ds, keys);
    gradient_of_scores(z, tile, dy, y, logsumexp, p, ds);
    multiply(queries, size, keys, 1.0f, {ds, keys}, {head.key, row}, false, gradient.query + begin * row, row);
    multiply(keys, size, queries, 1.0f, {ds, keys, true}, {head.query + begin * row, row}, add, gradient.key, row);
    multiply(keys, size, queries, 1.0f, {p, keys, true}, {tile_dy, z.y_row()}, add, gradient.value, row);
  }
}

/// Makes a kernel that calls work(arguments, head, memory) for each head of the batch. `memory` belongs to the thread
/// alone and has room for `tiles` tiles.
std::unique_ptr<Kernel> by_heads(const Context& context, const Binding& binding, const AttentionSizes& z,
                                 std::size_t tiles, const auto& work) {
  const std::size_t elements = tiles * query_tile_elements(z);
  return make_kernel(
      binding, static_cast<std::size_t>(context.threads) * elements * sizeof(float),
      [=, threads = context.threads](const Arguments& a) {
        onednn::use_threads(threads);
        parallel_parts(threads, z.batch * z.heads, elements_of(z), [&](int part, std::int64_t begin, std::int64_t end) {
          float* own = static_cast<float*>(a.workspace) + static_cast<std::size_t>(part) * elements;
          for (std::int64_t head = begin; head < end; ++head) work(a, head, own);
        });
      });
}

}  // namespace

DDLBENCH_CPU_KERNEL(attention) {
  const auto z = sizes_of_attention(binding);
  return by_heads(context, binding, z, 1, [z](const Arguments& a, std::int64_t head, float* scores) {
    forward_head(z, a, head / z.heads, head % z.heads, scores);
  });
}

DDLBENCH_CPU_KERNEL(attention_backward) {
  const auto z = sizes_of_attention_backward(binding);
  return by_heads(context, binding, z, 2, [z](const Arguments& a, std::int64_t head, float* p) {
    backward_head(z, a, head / z.heads, head % z.heads, p, p + query_tile_elements(z));
  });
}

}  // namespace ddlbench::kernels::cpu
