#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/binding.h"
#include "kernels/cpu/blocks.h"
#include "kernels/cpu/parallel.h"
#include "kernels/norm_sizes.h"

/// Two sums of each group and channel, in f64. Each is one thread's, in an order of its own: whatever their number.
///
/// What is summed is told by `Terms`: Terms::Columns<n> holds what the terms of n channels need, set(columns, k, place)
/// sets that of one of them, and terms(element, columns, k) are the two terms of an element of it.
namespace ddlbench::kernels::cpu {

struct TwoSums {
  double a = 0, b = 0;
};

/// Over a row of one channel.
template <class Terms, class Columns>
TwoSums sums_of_row(const Terms& terms, const Columns& columns, std::int64_t start, std::int64_t size) {
  constexpr std::int64_t lanes = 8;
  std::array<double, lanes> a{}, b{};
  std::int64_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    for (std::int64_t l = 0; l < lanes; ++l) {
      const TwoSums term = terms(start + i + l, columns, 0);
      a[static_cast<std::size_t>(l)] += term.a;
      b[static_cast<std::size_t>(l)] += term.b;
    }
  }
  TwoSums sums;
  for (; i < size; ++i) {
    const TwoSums term = terms(start + i, columns, 0);
    sums.a += term.a;
    sums.b += term.b;
  }
  for (std::size_t l = 0; l < lanes; ++l) sums.a += a[l], sums.b += b[l];
  return sums;
}

/// Of a channel from its rows.
template <class Terms, class Write>
void sum_rows(const BatchNormSizes& z, std::int64_t place, const Terms& terms, const Write& write) {
  typename Terms::template Columns<1> columns;
  terms.set(columns, 0, place);
  TwoSums sums;
  for (std::int64_t n = 0; n < z.samples; ++n) {
    const std::int64_t row = z.row(place / z.channels, n, place % z.channels);
    const TwoSums of_row = sums_of_row(terms, columns, row * z.inner, z.inner);
    sums.a += of_row.a;
    sums.b += of_row.b;
  }
  write(place, sums);
}

/// Of `count` channels of one group, from `place` on, that lie beside each other.
template <std::int64_t most, class Count, class Terms, class Write>
void sum_columns(const BatchNormSizes& z, std::int64_t place, Count count, const Terms& terms, const Write& write) {
  typename Terms::template Columns<most> columns;
  std::array<double, most> a{}, b{};
  for (std::int64_t k = 0; k < count; ++k) terms.set(columns, k, place + k);
  for (std::int64_t n = 0; n < z.samples; ++n) {
    const std::int64_t start = z.row(place / z.channels, n, place % z.channels) * z.inner;
    for (std::int64_t i = 0; i < z.inner; ++i) {
      for (std::int64_t k = 0; k < count; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const TwoSums term = terms(start + i * count + k, columns, k);
        a[at] += term.a;
        b[at] += term.b;
      }
    }
  }
  for (std::int64_t k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    write(place + k, {a[at], b[at]});
  }
}

/// write(place, sums) for every place = group · channels + channel.
template <class Terms, class Write>
void sum_places(int threads, const BatchNormSizes& z, const Terms& terms, const Write& write) {
  if (z.block > 1) {
    parallel_for(threads, z.places() / z.block, z.elements(), [&](std::int64_t begin, std::int64_t end) {
      with_block(z.block, [&](auto block) {
        for (std::int64_t i = begin; i < end; ++i)
          sum_columns<longest_channel_block>(z, i * block, block, terms, write);
      });
    });
    return;
  }
  parallel_for(threads, z.places(), z.elements(), [&](std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t most = 64;
    for (std::int64_t place = begin, count = 1; place < end; place += count) {
      if (z.inner == 1) {
        count = std::min({end - place, z.channels - place % z.channels, most});
        sum_columns<most>(z, place, count, terms, write);
      } else {
        sum_rows(z, place, terms, write);
      }
    }
  });
}

}  // namespace ddlbench::kernels::cpu
