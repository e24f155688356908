#include "workloads/images/weighted_sums.h"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ddlbench::workloads {

namespace portable {
namespace {

inline std::int32_t product(const WeightPair& weights, std::uint8_t first, std::uint8_t second) {
  const std::int32_t high = weights.high[0] * first + weights.high[1] * second;
  const std::int32_t low = weights.low[0] * first + weights.low[1] * second;
  return (high << low_bits) + low;
}

inline std::uint8_t rounded(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::min((sum + (1 << (weight_bits - 1))) >> weight_bits, 255));
}

}  // namespace

void resize_rows(const std::array<const std::uint8_t*, 4>& rows, const WeightTable& table,
                 const std::array<std::uint8_t*, 4>& to) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (int x = 0; x < table.outputs; ++x) {
      const WeightPair* const pairs = table.pairs + static_cast<std::size_t>(x) * table.most;
      for (int c = 0; c < 3; ++c) {
        const std::uint8_t* from = rows[row] + std::ptrdiff_t{table.first[x]} * 3 + c;
        std::int32_t sum = 0;
        for (int i = 0; i < table.count[x]; ++i, from += 6) sum += product(pairs[i], from[0], from[3]);
        to[row][x * 3 + c] = rounded(sum);
      }
    }
  }
}

void sum_rows(const std::uint8_t* from, std::size_t stride, const WeightPair* pairs, int count, std::size_t length,
              std::uint8_t* to) {
  for (std::size_t i = 0; i < length; ++i) {
    std::int32_t sum = 0;
    const std::uint8_t* at = from + i;
    for (int pair = 0; pair < count; ++pair, at += 2 * stride) sum += product(pairs[pair], at[0], at[stride]);
    to[i] = rounded(sum);
  }
}

}  // namespace portable

#if defined(__SSE2__)

namespace {

/// Four sums of products.
struct Sums {
  __m128i high = _mm_setzero_si128();
  __m128i low = _mm_setzero_si128();

  void add(__m128i neighbours, __m128i high_weights, __m128i low_weights) {
    high = _mm_add_epi32(high, _mm_madd_epi16(neighbours, high_weights));
    low = _mm_add_epi32(low, _mm_madd_epi16(neighbours, low_weights));
  }
  __m128i rounded() const {
    const __m128i half = _mm_set1_epi32(1 << (weight_bits - 1));
    return _mm_srai_epi32(_mm_add_epi32(_mm_add_epi32(_mm_slli_epi32(high, low_bits), low), half), weight_bits);
  }
};

/// Repeats a pair of 16-bit parts four times.
inline __m128i four_times(const std::array<std::int16_t, 2>& parts) {
  std::int32_t both;
  std::memcpy(&both, parts.data(), sizeof both);
  return _mm_set1_epi32(both);
}

inline __m128i pack(const Sums& a, const Sums& b, const Sums& c, const Sums& d) {
  return _mm_packus_epi16(_mm_packs_epi32(a.rounded(), b.rounded()), _mm_packs_epi32(c.rounded(), d.rounded()));
}

/// Loads two RGB pixels as 16-bit values, with equal channels of both side by side.
inline __m128i two_pixels(const std::uint8_t* from) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  return _mm_unpacklo_epi8(_mm_unpacklo_epi8(bytes, _mm_srli_epi64(bytes, 24)), _mm_setzero_si128());
}

inline void store(std::uint8_t* to, __m128i word) {
  const std::int32_t bytes = _mm_cvtsi128_si32(word);
  std::memcpy(to, &bytes, sizeof bytes);
}

}  // namespace

void resize_rows(const std::array<const std::uint8_t*, 4>& rows, const WeightTable& table,
                 const std::array<std::uint8_t*, 4>& to) {
  const WeightPair* pairs = table.pairs;
  for (int x = 0; x < table.outputs; ++x, pairs += table.most) {
    Sums a, b, c, d;
    std::ptrdiff_t at = std::ptrdiff_t{table.first[x]} * 3;
    for (int i = 0; i < table.count[x]; ++i, at += 6) {
      const __m128i high = four_times(pairs[i].high), low = four_times(pairs[i].low);
      a.add(two_pixels(rows[0] + at), high, low);
      b.add(two_pixels(rows[1] + at), high, low);
      c.add(two_pixels(rows[2] + at), high, low);
      d.add(two_pixels(rows[3] + at), high, low);
    }
    // Each store writes a fourth byte, which the next pixel overwrites.
    const __m128i pixels = pack(a, b, c, d);
    const std::ptrdiff_t out = std::ptrdiff_t{x} * 3;
    store(to[0] + out, pixels);
    store(to[1] + out, _mm_srli_si128(pixels, 4));
    store(to[2] + out, _mm_srli_si128(pixels, 8));
    store(to[3] + out, _mm_srli_si128(pixels, 12));
  }
}

void sum_rows(const std::uint8_t* from, std::size_t stride, const WeightPair* pairs, int count, std::size_t length,
              std::uint8_t* to) {
  const __m128i zero = _mm_setzero_si128();
  for (std::size_t i = 0; i < length; i += 16) {
    Sums a, b, c, d;
    const std::uint8_t* at = from + i;
    for (int pair = 0; pair < count; ++pair, at += 2 * stride) {
      const __m128i high = four_times(pairs[pair].high), low = four_times(pairs[pair].low);
      const __m128i upper = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      const __m128i lower = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + stride));
      const __m128i left = _mm_unpacklo_epi8(upper, lower), right = _mm_unpackhi_epi8(upper, lower);
      a.add(_mm_unpacklo_epi8(left, zero), high, low);
      b.add(_mm_unpackhi_epi8(left, zero), high, low);
      c.add(_mm_unpacklo_epi8(right, zero), high, low);
      d.add(_mm_unpackhi_epi8(right, zero), high, low);
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), pack(a, b, c, d));
  }
}

#else

void resize_rows(const std::array<const std::uint8_t*, 4>& rows, const WeightTable& table,
                 const std::array<std::uint8_t*, 4>& to) {
  portable::resize_rows(rows, table, to);
}

void sum_rows(const std::uint8_t* from, std::size_t stride, const WeightPair* pairs, int count, std::size_t length,
              std::uint8_t* to) {
  portable::sum_rows(from, stride, pairs, count, length, to);
}

#endif

}  // namespace ddlbench::workloads
