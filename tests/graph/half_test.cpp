#include "graph/half.h"

#include <bit>
#include <cmath>
#include <limits>

#include "catch.h"

using namespace ddlbench::graph;

namespace {

/// Returns the value of a 16-bit float with this many mantissa bits, computed from the definition of the format.
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

template <class T>
void check_rounding(int mantissa_bits) {
  for (unsigned bits = 0; bits < 0x10000u; ++bits) {
    const double value = decoded(bits, mantissa_bits);
    const float widened = to_f32(T{static_cast<std::uint16_t>(bits)});
    if (std::isnan(value)) {
      REQUIRE(std::isnan(widened));
      REQUIRE(from_f32<T>(widened).bits == 0x7FFF);
      continue;
    }
    REQUIRE(static_cast<double>(widened) == value);
    REQUIRE(std::signbit(widened) == ((bits & 0x8000u) != 0));
    REQUIRE(from_f32<T>(widened).bits == bits);
    if (std::isinf(value)) continue;
    const double neighbour = decoded(bits + 1, mantissa_bits);
    if (std::isinf(neighbour)) continue;
    // The midpoint is rounded to the even neighbour, values next to it to the nearer neighbour.
    const auto middle = static_cast<float>((value + neighbour) / 2);
    REQUIRE(from_f32<T>(middle).bits == bits + bits % 2);
    REQUIRE(from_f32<T>(std::nextafter(middle, widened)).bits == bits);
    REQUIRE(from_f32<T>(std::nextafter(middle, static_cast<float>(neighbour))).bits == bits + 1);
  }
}

}  // namespace

TEST_CASE("conversions from 16-bit floats are exact, and those to them round to nearest, ties to even") {
  check_rounding<Float16>(10);
  check_rounding<Bfloat16>(7);
}

TEST_CASE("values above the range of a 16-bit float become infinite, and those below it zero") {
  constexpr float largest = std::numeric_limits<float>::max(), infinity = std::numeric_limits<float>::infinity(),
                  smallest = std::numeric_limits<float>::denorm_min();
  CHECK(from_f32<Float16>(65519.0f).bits == 0x7BFF);
  CHECK(from_f32<Float16>(65520.0f).bits == 0x7C00);
  CHECK(from_f32<Float16>(-1e30f).bits == 0xFC00);
  CHECK(from_f32<Float16>(-infinity).bits == 0xFC00);
  CHECK(from_f32<Float16>(-0x1p-30f).bits == 0x8000);
  CHECK(from_f32<Bfloat16>(0x1.fefffep127f).bits == 0x7F7F);
  CHECK(from_f32<Bfloat16>(0x1.ffp127f).bits == 0x7F80);
  CHECK(from_f32<Bfloat16>(-largest).bits == 0xFF80);
  CHECK(from_f32<Bfloat16>(infinity).bits == 0x7F80);
  CHECK(from_f32<Bfloat16>(-smallest).bits == 0x8000);
}

TEST_CASE("every NaN is converted to the same 16 bits") {
  for (const std::uint32_t bits : {0x7F800001u, 0xFF800001u, 0x7FC00000u, 0xFFC00000u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
    CAPTURE(bits);
    CHECK(from_f32<Float16>(std::bit_cast<float>(bits)).bits == 0x7FFF);
    CHECK(from_f32<Bfloat16>(std::bit_cast<float>(bits)).bits == 0x7FFF);
  }
}
