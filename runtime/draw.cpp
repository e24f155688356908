#include "runtime/draw.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <vector>

#include "graph/random.h"
#include "runtime/box.h"

namespace ddlbench::runtime {
namespace {

// Results are the same to the bit at every vector width: this file is compiled without floating-point contraction, and
// IEEE 754 defines the rounding of every operation used.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
#define DDLBENCH_EACH_WIDTH __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define DDLBENCH_EACH_WIDTH
#endif

/// The number of values drawn at once, so that the loops over them contain no calls and no branches.
constexpr int block = 256;

struct Words {
  std::uint32_t first[block], second[block];
};

inline void draw_words(std::uint64_t key, std::int64_t element, std::int64_t step, int count, Words& words) {
  for (int i = 0; i < count; ++i) {
    const graph::Philox drawn = graph::philox(key, 0, static_cast<std::uint64_t>(element + i * step));
    words.first[i] = drawn.v[0];
    words.second[i] = drawn.v[1];
  }
}

/// Returns log(x) for 0 < x < 2^52, with a relative error of 1e-16: x = m 2^e with √½ ≤ m < √2, and log m = 2 artanh((m
/// − 1) / (m + 1)).
inline double logarithm(double x) {
  constexpr std::uint64_t root_half = 0x3FE6A09E667F3BCD, mantissa = (std::uint64_t{1} << 52) - 1;
  const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) - root_half;
  const auto exponent = static_cast<std::int32_t>(static_cast<std::int64_t>(shifted) >> 52);
  const double m = std::bit_cast<double>((shifted & mantissa) + root_half);
  const double s = (m - 1) / (m + 1), q = s * s;
  constexpr double inverse[] = {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                                1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
  double sum = 1.0 / 23;
#pragma GCC unroll 16
  for (const double next : inverse) sum = sum * q + next;
  return exponent * std::numbers::ln2 + 2 * s * sum;
}

/// Returns cos(2π turns) for 0 ≤ turns < 1, with an error of 1e-16, by the Taylor series of the sine around the nearer
/// of ¼ and ¾.
inline double cosine(double turns) {
  const double away = turns < 0.5 ? 0.25 - turns : turns - 0.75;  // −¼ to ¼, and cos(2π turns) = sin(2π away)
  const double x = 2 * std::numbers::pi * away, q = x * x;
  constexpr double inverse[] = {1.0 / (20 * 21), 1.0 / (18 * 19), 1.0 / (16 * 17), 1.0 / (14 * 15), 1.0 / (12 * 13),
                                1.0 / (10 * 11), 1.0 / (8 * 9),   1.0 / (6 * 7),   1.0 / (4 * 5),   1.0 / (2 * 3)};
  double sum = 1;
#pragma GCC unroll 16
  for (const double next : inverse) sum = 1 - q * next * sum;
  return x * sum;
}

DDLBENCH_EACH_WIDTH void fill(const graph::Initializer& initializer, std::uint64_t key, const BoxRun& run, float* to) {
  const std::int64_t count = run.count;
  if (initializer.kind == graph::Initializer::Kind::constant) {
    std::fill_n(to, count, initializer.a);
    return;
  }
  const bool normal = initializer.kind == graph::Initializer::Kind::normal;
  const double a = initializer.a, b = initializer.b;
  Words words;
  for (std::int64_t done = 0; done < count; done += block) {
    const auto here = static_cast<int>(std::min<std::int64_t>(block, count - done));
    draw_words(key, run.whole + done * run.step, run.step, here, words);
    if (!normal) {
      for (int i = 0; i < here; ++i) to[done + i] = static_cast<float>(a + (b - a) * graph::unit_float(words.first[i]));
      continue;
    }
    for (int i = 0; i < here; ++i) {
      const double radius = std::sqrt(-2 * logarithm(1.0 - graph::unit_float(words.first[i])));  // 1 − u is never 0
      to[done + i] = static_cast<float>(a + b * (radius * cosine(graph::unit_float(words.second[i]))));
    }
  }
}

}  // namespace

void draw(const program::HeldState& held, std::uint64_t seed, float* host) {
  const program::StateShard& shard = *held.shard;
  const std::string& name = shard.drawn_as.empty() ? shard.tensor : shard.drawn_as;
  const std::uint64_t key = graph::random_key(seed, graph::Purpose::initialization, name);
  for_each_run(shard.whole, shard.box, held.elements,
               [&](const BoxRun& run) { fill(shard.initializer, key, run, host + run.part); });
}

void draw_state(const program::Plan& plan, int rank, std::uint64_t seed,
                const std::function<void(const program::HeldState&, const float*)>& write) {
  constexpr std::int64_t most = 1 << 18;  // at a time, so that values stay in the caches
  std::vector<float> values(most);
  for (const program::HeldState& held : program::held_state(plan, rank)) {
    if (held.shard->memory_class != program::MemoryClass::parameters && held.shard->drawn_as.empty()) continue;
    for (std::int64_t begin = held.elements.begin; begin < held.elements.end; begin += most) {
      const program::HeldState part = piece(held, {begin, std::min(begin + most, held.elements.end)});
      draw(part, seed, values.data());
      write(part, values.data());
    }
  }
}

}  // namespace ddlbench::runtime
