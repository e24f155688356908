#include "tf32.h"
#include "catch.h"

using namespace ddlbench;

TEST_CASE("with TF32, products have 10-bit mantissas, and other ops compute in f32", "[ops]") {
  const auto oracle = test::device("reference");
  kernels::DeviceOptions options;
  options.tf32 = true;
  const auto device = kernels::make_device("cuda", options);
  test::on_each(test::op_cases(), [&](const test::OpCase& one) {
    test::check_close(test::run(*device, one.run), test::run(*oracle, one.run), test::tf32_tolerance(one));
  });
}
