#include "kernels/own/storage.h"

#include <cmath>
#include <limits>

#include "catch.h"

using namespace ddlbench::kernels::own;

TEST_CASE("every 16-bit number is the same after it was widened and narrowed") {
  int differing = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto narrow = static_cast<std::uint16_t>(bits);
    const float b = to_f32(Bfloat16{narrow}), h = to_f32(Float16{narrow});
    if (!std::isnan(b) && from_f32<Bfloat16>(b).bits != narrow) ++differing;
    if (!std::isnan(h) && from_f32<Float16>(h).bits != narrow) ++differing;
    if (std::isnan(b) && !std::isnan(to_f32(from_f32<Bfloat16>(b)))) ++differing;
    if (std::isnan(h) && !std::isnan(to_f32(from_f32<Float16>(h)))) ++differing;
  }
  CHECK(differing == 0);
}

TEST_CASE("16-bit numbers are what IEEE 754 and bfloat16 say") {
  CHECK(to_f32(Float16{0x3C00}) == 1.0f);
  CHECK(to_f32(Float16{0xC000}) == -2.0f);
  CHECK(to_f32(Float16{0x7BFF}) == 65504.0f);
  CHECK(to_f32(Float16{0x0001}) == 0x1p-24f);
  CHECK(to_f32(Float16{0x0400}) == 0x1p-14f);
  CHECK(std::isinf(to_f32(Float16{0x7C00})));
  CHECK(std::isnan(to_f32(Float16{0x7E00})));
  CHECK(to_f32(Bfloat16{0x3F80}) == 1.0f);
  CHECK(to_f32(Bfloat16{0xC040}) == -3.0f);
  CHECK(std::isnan(to_f32(Bfloat16{0x7FC0})));
}

TEST_CASE("narrowing rounds to the nearest, ties to even") {
  CHECK(from_f32<Float16>(1.0f + 0x1p-11f).bits == 0x3C00);             // a tie
  CHECK(from_f32<Float16>(1.0f + 0x1p-11f + 0x1p-20f).bits == 0x3C01);  // above it
  CHECK(from_f32<Float16>(1.0f + 3 * 0x1p-11f).bits == 0x3C02);         // a tie, to the even one above
  CHECK(from_f32<Float16>(65519.0f).bits == 0x7BFF);
  CHECK(from_f32<Float16>(65520.0f).bits == 0x7C00);
  CHECK(from_f32<Float16>(-1e30f).bits == 0xFC00);
  CHECK(from_f32<Float16>(0x1p-25f).bits == 0x0000);  // a tie between 0 and the least
  CHECK(from_f32<Float16>(0x1.8p-24f).bits == 0x0002);
  CHECK(from_f32<Float16>(-0x1p-30f).bits == 0x8000);
  CHECK(from_f32<Float16>(0x1.ffep-15f).bits == 0x0400);
  CHECK(from_f32<Bfloat16>(1.0f + 0x1p-8f).bits == 0x3F80);
  CHECK(from_f32<Bfloat16>(1.0f + 3 * 0x1p-8f).bits == 0x3F82);
  CHECK(from_f32<Bfloat16>(1.0f + 0x1p-8f + 0x1p-20f).bits == 0x3F81);
  CHECK(from_f32<Bfloat16>(std::numeric_limits<float>::max()).bits == 0x7F80);
}
