#include <functional>
#include <string>
#include <vector>

#include "../cases.h"
#include "../narrow.h"
#include "catch.h"
#include "tf32.h"

using namespace ddlbench;

namespace {

/// Operands of these ops are never in the flat buffers of parameters and gradients, so they are aligned.
bool has_parameters(const graph::Op& op) {
  const std::string kind(op.kind());
  return !kind.starts_with("attention") && kind != "encode" && kind != "decode";
}

/// Moves what may lie in flat buffers `shift` bytes from an aligned address: all operands or, of products, only the
/// parameters or their gradients.
std::vector<test::OpCase> shifted(const test::OpCase& one, std::size_t shift) {
  std::vector<test::OpCase> all{one};
  const std::string kind(one.run.op->kind());
  if (kind.starts_with("conv2d") || kind.starts_with("linear")) {
    all.push_back(one);
    test::Run& run = all.back().run;
    run.aligned_inputs = {0};
    if (kind.ends_with("_backward_weight")) {
      run.aligned_inputs = {0, 1};
    } else {
      run.aligned_outputs = true;
    }
  }
  for (test::OpCase& moved : all) moved.run.shift = shift;
  return all;
}

void on_shifted(const std::vector<test::OpCase>& cases, std::size_t shift,
                const std::function<void(const test::OpCase&)>& body) {
  test::on_each(cases, [&](const test::OpCase& one) {
    if (!has_parameters(*one.run.op)) return;
    for (const test::OpCase& moved : shifted(one, shift)) body(moved);
  });
}

}  // namespace

TEST_CASE("kernels accept operands at any address that is a multiple of their element size", "[ops]") {
  const auto oracle = test::device("reference");
  for (const bool tf32 : {false, true}) {
    kernels::DeviceOptions options;
    options.tf32 = tf32;
    const auto device = kernels::make_device("cuda", options);
    on_shifted(test::op_cases(), sizeof(float), [&](const test::OpCase& one) {
      CAPTURE(tf32, one.run.aligned_outputs);
      const double tolerance = tf32 ? test::tf32_tolerance(one) : test::tolerance(one.terms);
      test::check_close(test::run(*device, one.run), test::run(*oracle, one.run), tolerance);
    });
  }
}

TEST_CASE("kernels accept 16-bit operands at any address that is a multiple of their element size", "[ops]") {
  for (const auto& kind : test::kinds()) {
    const auto device = test::device(kind.name);
    for (const auto dtype : {graph::DType::bf16, graph::DType::f16}) {
      on_shifted(test::narrow_op_cases(dtype), 2, [&](const test::OpCase& one) {
        test::check_narrow(*device, one, dtype, test::roundings(one.run.op->kind()));
      });
    }
  }
}
