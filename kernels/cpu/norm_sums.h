#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "kernels/binding.h"
#include "kernels/cpu/blocks.h"
#include "kernels/cpu/parallel.h"
#include "kernels/own/storage.h"
#include "kernels/sizes/norm.h"

/// Two f64 sums for each place, a pair of group and channel. One thread computes each sum, in an order that does not
/// depend on the number of threads.
///
/// `Terms` defines what is summed: read(start, size, elements) reads `size` elements, starting at `start`;
/// Terms::Columns<n> contains what the terms of n places need; set(columns, k, place) sets entry k of it; and
/// terms(elements, i, columns, k) returns the two terms of the i-th element that was read, with entry k.
namespace ddlbench::kernels::cpu {

struct TwoSums {
  double a = 0, b = 0;
};

/// Elements in f32, converted before their terms are summed: in a loop that also converts 16-bit numbers, all other
/// operations would use only half of a vector register, too. There are so few that they fit in a core's L1 cache.
/// (ResNet-50's backward moments in bf16 on two threads of Zen 5, medians of four runs: 22 ms with conversion and
/// summation in one loop; 16, 13 and 20 ms with 1024, 512 and 128 elements at once.)
struct Elements {
  static constexpr std::int64_t at_once = 512;

  const float *dz = nullptr, *x = nullptr;  ///< the operand itself if it is f32, otherwise:
  float wide_dz[at_once], wide_x[at_once];
};

inline const float* widened(const float* from, std::int64_t, float*) {
  return from;
}

template <class T>
const float* widened(const T* from, std::int64_t size, float* wide) {
  for (std::int64_t i = 0; i < size; ++i) wide[i] = own::to_f32(from[i]);
  return wide;
}

/// Returns the sums over one row of one channel.
TwoSums sums_of_row(const auto& terms, const auto& columns, std::int64_t start, std::int64_t size) {
  constexpr std::int64_t lanes = 16;
  std::array<double, lanes> a{}, b{};
  TwoSums sums;
  Elements elements;
  for (std::int64_t done = 0; done < size; done += Elements::at_once) {
    const std::int64_t count = std::min(size - done, Elements::at_once);
    terms.read(start + done, count, elements);
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
      for (std::int64_t l = 0; l < lanes; ++l) {
        const TwoSums term = terms(elements, i + l, columns, 0);
        a[static_cast<std::size_t>(l)] += term.a;
        b[static_cast<std::size_t>(l)] += term.b;
      }
    }
    for (; i < count; ++i) {
      const TwoSums term = terms(elements, i, columns, 0);
      sums.a += term.a;
      sums.b += term.b;
    }
  }
  for (std::size_t l = 0; l < lanes; ++l) sums.a += a[l], sums.b += b[l];
  return sums;
}

/// Sums all rows of a place, and calls write(place, sums).
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

/// The maximum number of channels that are summed together. It exceeds a block because one sample contributes only a
/// short run to a block if the image is small, and reading short runs from memory is slow.
inline constexpr std::int64_t columns_at_once = 128;
using Sums = std::array<double, columns_at_once>;

/// The array size for a block of channels. A block that is not a compile-time constant has at most
/// longest_channel_block channels.
template <class Block>
inline constexpr std::size_t array_size = max_channel_block;
template <std::int64_t block>
inline constexpr std::size_t array_size<std::integral_constant<std::int64_t, block>> = block;

/// Adds the terms of `positions` × `block` elements to the sums of the block's channels, which begin at column `first`.
template <class Block, class Terms, class Columns>
void add_elements(const Terms& terms, const Elements& elements, std::int64_t positions, Block block,
                  const Columns& columns, std::int64_t first, Sums& a, Sums& b) {
  std::array<double, array_size<Block>> here_a, here_b;  // in registers
  std::copy_n(a.begin() + first, std::int64_t{block}, here_a.begin());
  std::copy_n(b.begin() + first, std::int64_t{block}, here_b.begin());
  for (std::int64_t i = 0; i < positions * block; i += block) {
    for (std::int64_t k = 0; k < block; ++k) {
      const TwoSums term = terms(elements, i + k, columns, first + k);
      here_a[static_cast<std::size_t>(k)] += term.a;
      here_b[static_cast<std::size_t>(k)] += term.b;
    }
  }
  std::copy_n(here_a.begin(), std::int64_t{block}, a.begin() + first);
  std::copy_n(here_b.begin(), std::int64_t{block}, b.begin() + first);
}

/// Sums `count` channels of one group, starting at `place`, in blocks, and calls write(place, sums) for each.
template <class Block, class Terms, class Write>
void sum_channels(const BatchNormSizes& z, std::int64_t place, std::int64_t count, Block block, const Terms& terms,
                  const Write& write) {
  typename Terms::template Columns<columns_at_once> columns;
  for (std::int64_t k = 0; k < count; ++k) terms.set(columns, k, place + k);
  Sums a{}, b{};
  Elements elements;
  const std::int64_t positions_at_once = Elements::at_once / block;
  for (std::int64_t n = 0; n < z.samples; ++n) {
    std::int64_t start = z.row(place / z.channels, n, place % z.channels) * z.inner;
    for (std::int64_t first = 0; first < count; first += block) {
      for (std::int64_t done = 0, positions; done < z.inner; done += positions, start += positions * block) {
        positions = std::min(z.inner - done, positions_at_once);
        terms.read(start, positions * block, elements);
        add_elements(terms, elements, positions, block, columns, first, a, b);
      }
    }
  }
  for (std::int64_t k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    write(place + k, {a[at], b[at]});
  }
}

/// Calls write(place, sums) for every place = group · channels + channel, on up to `threads` threads.
template <class Terms, class Write>
void sum_places(int threads, const BatchNormSizes& z, const Terms& terms, const Write& write) {
  const auto left_of_group = [&](std::int64_t place) { return z.channels - place % z.channels; };
  if (z.block > 1) {
    parallel_for(threads, z.places() / z.block, z.elements(), [&](std::int64_t begin, std::int64_t end) {
      with_block(z.block, [&](auto block) {
        const std::int64_t most = columns_at_once / block * block, stop = end * block;
        for (std::int64_t place = begin * block, count; place < stop; place += count) {
          count = std::min({stop - place, left_of_group(place), most});
          sum_channels(z, place, count, block, terms, write);
        }
      });
    });
    return;
  }
  parallel_for(threads, z.places(), z.elements(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t place = begin, count = 1; place < end; place += count) {
      if (z.inner == 1) {
        count = std::min({end - place, left_of_group(place), max_channel_block});
        sum_channels(z, place, count, count, terms, write);
      } else {
        sum_rows(z, place, terms, write);
      }
    }
  });
}

}  // namespace ddlbench::kernels::cpu
