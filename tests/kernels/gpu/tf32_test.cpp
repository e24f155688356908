#include <cmath>

#include "../cases.h"
#include "catch.h"

using namespace ddlbench;

namespace {

bool is_product(std::string_view op_kind) {
  for (const char* product : {"conv2d", "linear", "attention", "linear_cross_entropy"})
    if (op_kind.starts_with(product)) return true;
  return false;
}

/// Both factors of a product are rounded to 10 bits of mantissa, each by up to 2⁻¹¹ of itself and independently of the
/// other terms of a sum. Terms are as large as in tolerance(). Doubled for ops that consist of several products.
double tf32_tolerance(double terms) {
  return test::tolerance(terms) + 2 * 0x1p-10 * (std::sqrt(terms) + 1) * 5;
}

}  // namespace

TEST_CASE("with TF32, products have 10-bit mantissas, and other ops compute in f32") {
  const auto oracle = test::device("reference");
  kernels::DeviceOptions options;
  options.tf32 = true;
  const auto device = kernels::make_device("cuda", options);
  for (const auto& one : test::op_cases()) {
    CAPTURE(one.name);
    const double tolerance = is_product(one.run.op->kind()) ? tf32_tolerance(one.terms) : test::tolerance(one.terms);
    test::check_close(test::run(*device, one.run), test::run(*oracle, one.run), tolerance);
  }
}
