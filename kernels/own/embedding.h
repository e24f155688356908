#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/own/bind.h"
#include "kernels/own/divider.h"
#include "kernels/sizes/transformer.h"

/// A token outside the vocabulary makes its output row NaN and contributes to no row of the gradient, because a GPU
/// kernel cannot report an error.
namespace ddlbench::kernels::own {

/// The number of features is a multiple of `width`.
template <class T, int width>
struct EmbeddingBody {
  Divider features;
  const std::int32_t* tokens;
  const T* table;
  T* y;
  std::int64_t count, vocabulary;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, count * features.divisor() / width, [&](std::int64_t item) {
      const std::int64_t i = item * width, t = features.quotient(i), column = i - t * features.divisor();
      const std::int64_t token = tokens[t];
      Floats<width> values;
      for (int k = 0; k < width; ++k) values.of[k] = NAN;
      if (token >= 0 && token < vocabulary) values = load<width>(table + token * features.divisor() + column);
      store<width>(y + i, values, accumulate);
    });
  }
};

/// Sorts positions by token; positions with equal tokens keep their order. Each position counts the positions that come
/// before it in the sorted order. This takes count² comparisons in registers (the whole op took 1.7 ms for 32768 tokens
/// on an H100) but no atomics, whose order would differ from run to run.
template <int width>
struct OrderTokensBody {
  const std::int32_t* tokens;
  std::int32_t* order;
  std::int32_t* run_lengths;  ///< at the first sorted place of each token its number of positions, 0 at the others
  std::int64_t count;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, count, [&](std::int64_t t) {
      const std::int32_t token = tokens[t];
      std::int32_t smaller = 0, equal = 0, equal_before = 0;
      const auto compare = [&](std::int32_t other, std::int64_t u) {
        smaller += other < token ? 1 : 0;
        equal += other == token ? 1 : 0;
        equal_before += other == token && u < t ? 1 : 0;
      };
      const std::int64_t whole = count / width * width;
      for (std::int64_t u = 0; u < whole; u += width) {
        const auto pack = *reinterpret_cast<const Pack<std::int32_t, width>*>(tokens + u);
        for (int k = 0; k < width; ++k) compare(pack.of[k], u + k);
      }
      for (std::int64_t u = whole; u < count; ++u) compare(tokens[u], u);
      const std::int64_t place = std::int64_t{smaller} + equal_before;
      order[place] = static_cast<std::int32_t>(t);
      run_lengths[place] = equal_before == 0 ? equal : 0;
    });
  }
};

template <class T, int width>
struct ZeroBody {
  T* to;
  std::int64_t size;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_pack<width>(team, size, [&](auto n, std::int64_t i) { store<n>(to + i, Floats<n>{}); });
  }
};

/// A block sums a tile of the features of one token. The warps take the token's positions in turn; then the sums of the
/// warps are added in order.
template <class T, int width>
struct SumTokensBody {
  const std::int32_t* tokens;
  const std::int32_t* order;
  const std::int32_t* run_lengths;
  const T* dy;
  T* table;
  std::int64_t count, vocabulary, features, tiles;
  bool accumulate;

  static constexpr std::int64_t tile = warp_size * width;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    for (std::int64_t item = team.index(); item < count * tiles; item += team.count()) {
      const std::int64_t place = item / tiles, length = run_lengths[place];
      if (length == 0) continue;
      const std::int64_t token = tokens[order[place]];
      if (token >= 0 && token < vocabulary) sum(team, place, length, token, item % tiles * tile);
    }
  }

 private:
  DDLBENCH_DEVICE void sum(auto& team, std::int64_t place, std::int64_t length, std::int64_t token,
                           std::int64_t tile_begin) const {
    auto* sums = team.template scratch<Floats<width>>();
    const int warps = team.threads() / warp_size;
    team.each([&](int thread) {
      const std::int64_t column = tile_begin + thread % warp_size * width;
      Floats<width> total{};
      if (column < features) {
        DDLBENCH_UNROLL
        for (std::int64_t k = thread / warp_size; k < length; k += warps) {
          const auto values = load<width>(dy + order[place + k] * features + column);
          for (int j = 0; j < width; ++j) total.of[j] += values.of[j];
        }
      }
      sums[thread] = total;
    });
    team.each([&](int thread) {
      const std::int64_t column = tile_begin + thread * width;
      if (thread >= warp_size || column >= features) return;
      Floats<width> total = sums[thread];
      for (int warp = 1; warp < warps; ++warp) {
        for (int j = 0; j < width; ++j) total.of[j] += sums[warp * warp_size + thread].of[j];
      }
      store<width>(table + token * features + column, total, accumulate);
    });
  }
};

std::unique_ptr<Kernel> bind_embedding(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_embedding(binding, Storage::any_float);
  const Divider features = divider_of(z.features);
  return with_storage(binding.inputs[1].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
      const T* table = input_of<T>(a, 1);
      T* y = output_of<T>(a, 0);
      with_width<T>(z.features % vector_width<T> == 0 && aligned({table, y}), [&](auto width) {
        const EmbeddingBody<T, decltype(width)::value> body{
            features, input_of<std::int32_t>(a, 0), table, y, z.tokens, z.vocabulary, accumulate};
        launcher.items("embedding", z.tokens * z.features / width, body);
      });
    });
  });
}

std::unique_ptr<Kernel> bind_embedding_backward_weight(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_embedding_backward_weight(binding, Storage::any_float);
  expect(binding, z.tokens <= std::numeric_limits<std::int32_t>::max(), "there are more than 2^31 tokens");
  return with_storage(binding.inputs[1].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(
        binding, 2 * sizeof(std::int32_t) * static_cast<std::size_t>(z.tokens),
        [=, accumulate = binding.accumulate](const Arguments& a) {
          const char* name = "embedding_backward_weight";
          const auto* tokens = input_of<std::int32_t>(a, 0);
          auto* order = static_cast<std::int32_t*>(a.workspace);
          std::int32_t* run_lengths = order + z.tokens;
          with_width<std::int32_t>(aligned({tokens}), [&](auto width) {
            launcher.items(name, z.tokens,
                           OrderTokensBody<decltype(width)::value>{tokens, order, run_lengths, z.tokens});
          });
          const T* dy = input_of<T>(a, 1);
          T* table = output_of<T>(a, 0);
          const std::int64_t size = z.vocabulary * z.features;
          with_width<T>(z.features % vector_width<T> == 0 && aligned({dy, table}), [&](auto width) {
            if (!accumulate)
              launcher.items(name, items_of(size, width), ZeroBody<T, decltype(width)::value>{table, size});
            using Body = SumTokensBody<T, decltype(width)::value>;
            const std::int64_t tiles = quotient_up(z.features, Body::tile);
            const Body body{tokens,   order,        run_lengths, dy,    table,
                            z.tokens, z.vocabulary, z.features,  tiles, accumulate};
            launcher.blocks(name, z.tokens * tiles, body);
          });
        });
  });
}

}  // namespace ddlbench::kernels::own
