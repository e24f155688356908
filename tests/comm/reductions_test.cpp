#include <cmath>
#include <limits>
#include <vector>

#include "catch.h"
#include "comm/half.h"
#include "comm/reduce.h"

using namespace ddlbench;
using namespace ddlbench::comm;

namespace {

/// The value of a 16-bit float with this many mantissa bits, from the definition.
double decoded(unsigned bits, int mantissa_bits) {
  const int exponent_bits = 15 - mantissa_bits;
  const unsigned mantissa = bits & ((1u << mantissa_bits) - 1);
  const int exponent = static_cast<int>((bits >> mantissa_bits) & ((1u << exponent_bits) - 1));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits & 0x8000u) ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  }
  const double fraction = std::ldexp(mantissa, -mantissa_bits);
  return exponent == 0 ? sign * std::ldexp(fraction, 1 - bias) : sign * std::ldexp(1 + fraction, exponent - bias);
}

template <class Encode, class Decode>
void check_rounding(Encode encode, Decode decode, int mantissa_bits) {
  for (unsigned bits = 0; bits < 0x10000u; ++bits) {
    const auto stored = static_cast<std::uint16_t>(bits);
    const double value = decoded(bits, mantissa_bits);
    const float widened = decode(stored);
    if (std::isnan(value)) {
      REQUIRE(std::isnan(widened));
      REQUIRE(std::isnan(decode(encode(widened))));
      continue;
    }
    REQUIRE(static_cast<double>(widened) == value);
    REQUIRE(encode(widened) == stored);
    if (std::isinf(value) || (bits & 0x7fffu) == 0) continue;
    const double neighbour = decoded(bits + 1, mantissa_bits);
    if (std::isinf(neighbour) || std::isnan(neighbour)) continue;
    // Half way goes to the even one, a little to either side to the nearer one.
    const auto middle = static_cast<float>((value + neighbour) / 2);
    const auto above = static_cast<std::uint16_t>(bits + 1);
    REQUIRE(encode(middle) == (bits % 2 == 0 ? stored : above));
    REQUIRE(encode(std::nextafter(middle, widened)) == stored);
    REQUIRE(encode(std::nextafter(middle, static_cast<float>(neighbour))) == above);
  }
}

template <class T>
std::vector<T> reduced(graph::DType dtype, graph::Reduction reduction, const std::vector<T>& a,
                       const std::vector<T>& b) {
  std::vector<T> out(a.size());
  reduce(dtype, reduction, out.data(), a.data(), b.data(), static_cast<std::int64_t>(a.size()));
  return out;
}

}  // namespace

TEST_CASE("16-bit floats round to the nearest, ties to even") {
  check_rounding(to_f16, from_f16, 10);
  check_rounding(to_bf16, from_bf16, 7);
}

TEST_CASE("values beyond the range of f16 become infinite") {
  CHECK(to_f16(65519.0f) == 0x7bff);
  CHECK(to_f16(65520.0f) == 0x7c00);
  CHECK(to_f16(-1e30f) == 0xfc00);
  CHECK(to_f16(1e-30f) == 0);
}

TEST_CASE("integer sums wrap, and a maximum keeps a NaN") {
  using graph::DType;
  using graph::Reduction;
  CHECK(reduced<std::uint8_t>(DType::u8, Reduction::sum, {250, 1}, {10, 2}) == std::vector<std::uint8_t>{4, 3});
  const auto most = std::numeric_limits<std::int32_t>::max();
  CHECK(reduced<std::int32_t>(DType::i32, Reduction::sum, {most}, {1}).front() ==
        std::numeric_limits<std::int32_t>::min());
  CHECK(reduced<std::int64_t>(DType::i64, Reduction::max, {-5, 3}, {-7, 4}) == std::vector<std::int64_t>{-5, 4});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float value : reduced<float>(DType::f32, Reduction::max, {nan, 1}, {1, nan})) CHECK(std::isnan(value));
}

TEST_CASE("the target of a reduction may be one of its operands") {
  std::vector<float> a(1001), b(1001);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i);
    b[i] = static_cast<float>(2 * i);
  }
  reduce(graph::DType::f32, graph::Reduction::sum, a.data(), b.data(), a.data(), 1001);
  for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(a[i] == static_cast<float>(3 * i));
}
