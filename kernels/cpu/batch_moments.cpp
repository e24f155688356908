#include <algorithm>
#include <array>

#include "graph/ops/batch_norm.h"
#include "kernels/batch_statistics.h"
#include "kernels/cpu/blocks.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/norm_sizes.h"
#include "kernels/operands.h"

/// Two sums of each group and channel, in f64. Each is one thread's, in an order of its own: whatever their number.
namespace ddlbench::kernels::cpu {
namespace {

struct TwoSums {
  double a = 0, b = 0;
};

/// terms(element, mean) over a row.
template <class Terms>
TwoSums sums_of_row(const Terms& terms, std::int64_t start, std::int64_t size, double mean) {
  constexpr std::int64_t lanes = 8;
  std::array<double, lanes> a{}, b{};
  std::int64_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    for (std::int64_t l = 0; l < lanes; ++l) {
      const TwoSums term = terms(start + i + l, mean);
      a[static_cast<std::size_t>(l)] += term.a;
      b[static_cast<std::size_t>(l)] += term.b;
    }
  }
  TwoSums sums;
  for (; i < size; ++i) {
    const TwoSums term = terms(start + i, mean);
    sums.a += term.a;
    sums.b += term.b;
  }
  for (std::size_t l = 0; l < lanes; ++l) sums.a += a[l], sums.b += b[l];
  return sums;
}

/// Where channels lie beside each other: `count` of them from a place on, all of one group.
template <class Terms, class Mean, class Write>
void sum_columns(const BatchNormSizes& z, std::int64_t place, std::int64_t count, const Terms& terms, const Mean& mean,
                 const Write& write) {
  constexpr std::int64_t most = 64;
  const std::int64_t group = place / z.channels, channel = place % z.channels;
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t width = std::min(most, count - first);
    std::array<double, most> a{}, b{}, means{};
    for (std::int64_t k = 0; k < width; ++k) means[static_cast<std::size_t>(k)] = mean(place + first + k);
    for (std::int64_t n = 0; n < z.samples; ++n) {
      const std::int64_t start = z.row(group, n, channel + first);
      for (std::int64_t k = 0; k < width; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const TwoSums term = terms(start + k, means[at]);
        a[at] += term.a;
        b[at] += term.b;
      }
    }
    for (std::int64_t k = 0; k < width; ++k) {
      const auto at = static_cast<std::size_t>(k);
      write(place + first + k, {a[at], b[at]});
    }
  }
}

/// Of a block of channels from `place` on.
template <class Block, class Terms, class Mean, class Write>
void sum_block(const BatchNormSizes& z, std::int64_t place, Block block, const Terms& terms, const Mean& mean,
               const Write& write) {
  std::array<double, longest_channel_block> a{}, b{}, means{};
  for (std::int64_t c = 0; c < block; ++c) means[static_cast<std::size_t>(c)] = mean(place + c);
  for (std::int64_t n = 0; n < z.samples; ++n) {
    const std::int64_t start = z.row(place / z.channels, n, place % z.channels) * z.inner;
    for (std::int64_t i = 0; i < z.inner; ++i) {
      for (std::int64_t c = 0; c < block; ++c) {
        const auto at = static_cast<std::size_t>(c);
        const TwoSums term = terms(start + i * block + c, means[at]);
        a[at] += term.a;
        b[at] += term.b;
      }
    }
  }
  for (std::int64_t c = 0; c < block; ++c)
    write(place + c, {a[static_cast<std::size_t>(c)], b[static_cast<std::size_t>(c)]});
}

/// sum_places where channels lie in blocks.
template <class Terms, class Mean, class Write>
void sum_places_in_blocks(int threads, const BatchNormSizes& z, const Terms& terms, const Mean& mean,
                          const Write& write) {
  parallel_for(threads, z.places() / z.block, z.elements(), [&](std::int64_t begin, std::int64_t end) {
    with_block(z.block, [&](auto block) {
      for (std::int64_t i = begin; i < end; ++i) sum_block(z, i * block, block, terms, mean, write);
    });
  });
}

/// write(place, sums) of terms(element, mean(place)), place = group · channels + channel.
template <class Terms, class Mean, class Write>
void sum_places(int threads, const BatchNormSizes& z, const Terms& terms, const Mean& mean, const Write& write) {
  if (z.block > 1) return sum_places_in_blocks(threads, z, terms, mean, write);
  parallel_for(threads, z.places(), z.elements(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t place = begin, count = 1; place < end; place += count) {
      if (z.inner == 1) {
        count = std::min(end - place, z.channels - place % z.channels);
        sum_columns(z, place, count, terms, mean, write);
        continue;
      }
      const double channel_mean = mean(place);
      TwoSums sums;
      for (std::int64_t n = 0; n < z.samples; ++n) {
        const std::int64_t row = z.row(place / z.channels, n, place % z.channels);
        const TwoSums of_row = sums_of_row(terms, row * z.inner, z.inner, channel_mean);
        sums.a += of_row.a;
        sums.b += of_row.b;
      }
      write(place, sums);
    }
  });
}

/// Where the first of `kinds` values of a place lies; the next are `channels` apart.
float* values_of(float* kept, const BatchNormSizes& z, std::int64_t kinds, std::int64_t place) {
  return kept + place / z.channels * kinds * z.channels + place % z.channels;
}

}  // namespace

void add_batch_moments(KernelTable& table, const Context& context) {
  table.add(
      "batch_moments",
      [&context](const Binding& binding) {
        const auto z = sizes_of_batch_moments(binding);
        const auto launch = [z, threads = context.threads](const Arguments& a) {
          const auto terms = [x = input(a, 0)](std::int64_t e, double) {
            const double value = x[e];
            return TwoSums{value, value * value};
          };
          const auto write = [z, moments = output(a, 0)](std::int64_t place, TwoSums sums) {
            float* of_place = values_of(moments, z, 3, place);
            of_place[0] = static_cast<float>(sums.a);
            of_place[z.channels] = static_cast<float>(sums.b);
            of_place[2 * z.channels] = static_cast<float>(z.samples * z.inner);
          };
          sum_places(
              threads, z, terms, [](std::int64_t) { return 0.0; }, write);
        };
        return make_kernel(flops_of(binding), launch);
      },
      Channels::in_blocks);
}

void add_batch_norm_backward_moments(KernelTable& table, const Context& context) {
  table.add(
      "batch_norm_backward_moments",
      [&context](const Binding& binding) {
        const auto z = sizes_of_batch_norm_backward_moments(binding);
        const float epsilon = attributes_of<graph::BatchNormBackwardMoments>(binding).norm.epsilon;
        const auto launch = [z, epsilon, threads = context.threads](const Arguments& a) {
          const auto statistics = [z, moments = input(a, 2)](std::int64_t place) {
            return statistics_of(moments, z.channels, place / z.channels, place % z.channels);
          };
          const auto terms = [dz = input(a, 0), x = input(a, 1)](std::int64_t e, double mean) {
            const double gradient = dz[e];
            return TwoSums{gradient * (x[e] - mean), gradient};
          };
          const auto write = [=, sums_of_groups = output(a, 0)](std::int64_t place, TwoSums sums) {
            float* of_place = values_of(sums_of_groups, z, 2, place);
            of_place[0] = static_cast<float>(sums.a * statistics(place).rstd(epsilon));
            of_place[z.channels] = static_cast<float>(sums.b);
          };
          sum_places(
              threads, z, terms, [&](std::int64_t place) { return statistics(place).mean; }, write);
        };
        return make_kernel(flops_of(binding), launch);
      },
      Channels::in_blocks);
}

}  // namespace ddlbench::kernels::cpu
