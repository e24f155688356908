#include <cmath>
#include <limits>
#include <vector>

#include "catch.h"
#include "comm/reduce.h"

using namespace ddlbench;
using namespace ddlbench::comm;

namespace {

template <class T>
std::vector<T> reduced(graph::DType dtype, graph::Reduction reduction, const std::vector<T>& a,
                       const std::vector<T>& b) {
  std::vector<T> out(a.size());
  reduce(dtype, reduction, out.data(), a.data(), b.data(), static_cast<std::int64_t>(a.size()));
  return out;
}

}  // namespace

TEST_CASE("integer sums wrap, and a maximum propagates NaN") {
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
