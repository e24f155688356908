#include "narrow.h"

#include "catch.h"
#include "kernels/convert.h"

using namespace ddlbench;
using graph::DType;

namespace {

constexpr DType narrow_types[] = {DType::bf16, DType::f16};

void check_close(const std::vector<test::HostTensor>& actual, const std::vector<test::HostTensor>& expected,
                 const test::OpCase& one, DType dtype) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t o = 0; o < actual.size(); ++o) {
    const double rounding = kernels::is_narrow(actual[o].type.dtype) ? test::unit_roundoff(dtype) : 0;
    auto widened = actual[o];
    widened.type.dtype = expected[o].type.dtype;
    CHECK(test::largest_error(widened, expected[o], 1.0) <= test::tolerance(one.terms) + rounding);
  }
}

}  // namespace

TEST_CASE("on 16-bit operands the reference computes what it computes in f32, rounded once") {
  const auto oracle = test::device("reference");
  for (const DType dtype : narrow_types) {
    for (const auto& one : test::op_cases()) {
      CAPTURE(one.name, graph::name(dtype));
      const auto both = test::narrow_case(one, dtype);
      const auto expected = test::run(*oracle, both.wide), actual = test::run(*oracle, both.narrow);
      for (std::size_t o = 0; o < actual.size(); ++o) {
        CHECK(actual[o].bytes() == test::in_type(expected[o], actual[o].type.dtype).bytes());
      }
    }
  }
}

TEST_CASE("every op on 16-bit operands equals the reference of f32 within one rounding") {
  const auto oracle = test::device("reference");
  for (const auto& kind : test::other_kinds()) {
    const auto device = test::device(kind);
    for (const DType dtype : narrow_types) {
      for (const auto& one : test::op_cases()) {
        CAPTURE(kind, one.name, graph::name(dtype));
        const auto both = test::narrow_case(one, dtype);
        check_close(test::run(*device, both.narrow), test::run(*oracle, both.wide), one, dtype);
      }
    }
  }
}

TEST_CASE("two devices of a kind and as many threads compute the same bits of 16-bit operands") {
  for (const auto& kind : test::other_kinds()) {
    const auto first = test::device(kind, 2), second = test::device(kind, 2);
    for (const auto& one : test::op_cases()) {
      CAPTURE(kind, one.name);
      const auto narrow = test::narrow_case(one, DType::bf16).narrow;
      const auto a = test::run(*first, narrow), b = test::run(*second, narrow);
      for (std::size_t o = 0; o < a.size(); ++o) CHECK(a[o].values == b[o].values);
    }
  }
}
