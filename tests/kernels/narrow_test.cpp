#include "narrow.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/error.h"
#include "catch.h"

using namespace ddlbench;
using graph::DType;

namespace {

/// The results of these ops are f32 in every precision.
const std::set<std::string> wide_alone{"combine_moments",   "observe_moments",        "statistic_update",
                                       "loss_scale_update", "low_rank_orthogonalise", "low_rank_project_back",
                                       "mark_ready"};

bool has_narrow_operand(const test::Run& run) {
  const auto narrow = [](const graph::TensorType& type) { return graph::is_narrow(type.dtype); };
  const auto outputs = output_types(run);
  return std::any_of(run.inputs.begin(), run.inputs.end(), [&](const auto& tensor) { return narrow(tensor.type); }) ||
         std::any_of(outputs.begin(), outputs.end(), narrow);
}

bool can_add(kernels::Device& device, const test::Run& run) {
  std::vector<graph::TensorType> inputs;
  for (const auto& tensor : run.inputs) inputs.push_back(tensor.type);
  try {
    device.bind({{run.op, true}, inputs, output_types(run)});
  } catch (const InputError&) {
    return false;
  }
  return true;
}

void check_all(DType dtype) {
  for (const auto& kind : test::other_kinds()) {
    const auto device = test::device(kind);
    test::on_each(test::narrow_op_cases(dtype), [&](const test::OpCase& one) {
      test::check_narrow(*device, one, dtype, test::roundings(one.run.op->kind()));
    });
  }
}

}  // namespace

TEST_CASE("every op has 16-bit cases, including accumulating ones where it can accumulate") {
  const std::set<std::string> all{
#define DDLBENCH_OP(name) #name,
#include "kernels/ops.def"
#undef DDLBENCH_OP
  };
  const auto oracle = test::device("reference");
  for (const DType dtype : {DType::bf16, DType::f16}) {
    std::set<std::string> without = all, without_adding;
    std::set<std::string> adding;
    for (const auto& one : test::narrow_op_cases(dtype)) {
      const auto narrow = test::narrow_case(one, dtype).narrow;
      if (!has_narrow_operand(narrow)) continue;
      const std::string kind(one.run.op->kind());
      without.erase(kind);
      if (narrow.accumulate) {
        adding.insert(kind);
      } else if (can_add(*oracle, narrow)) {
        without_adding.insert(kind);
      }
    }
    for (const auto& kind : adding) without_adding.erase(kind);
    CHECK(without == wide_alone);
    CHECK(without_adding == std::set<std::string>{});
  }
}

TEST_CASE("on 16-bit operands the reference computes what it computes in f32, rounded once") {
  const auto oracle = test::device("reference");
  for (const DType dtype : {DType::bf16, DType::f16}) {
    for (const auto& one : test::narrow_op_cases(dtype)) {
      CAPTURE(one.name, graph::name(dtype));
      const auto both = test::narrow_case(one, dtype);
      const auto expected = test::run(*oracle, both.wide), actual = test::run(*oracle, both.narrow);
      for (std::size_t o = 0; o < actual.size(); ++o) {
        CHECK(actual[o].bytes() == test::in_type(expected[o], actual[o].type.dtype).bytes());
      }
    }
  }
}

TEST_CASE("every op on operands of bf16 equals the reference of f32, rounded", "[ops]") {
  check_all(DType::bf16);
}

TEST_CASE("every op on operands of f16 equals the reference of f32, rounded", "[ops]") {
  check_all(DType::f16);
}

TEST_CASE("two devices of a kind and as many threads compute the same bits of 16-bit operands", "[ops]") {
  for (const auto& kind : test::other_kinds()) {
    const auto first = test::device(kind, 2), second = test::device(kind, 2);
    test::on_each(test::narrow_op_cases(DType::bf16), [&](const test::OpCase& one) {
      CAPTURE(kind);
      const auto narrow = test::narrow_case(one, DType::bf16).narrow;
      const auto a = test::run(*first, narrow), b = test::run(*second, narrow);
      for (std::size_t o = 0; o < a.size(); ++o) CHECK(a[o].bytes() == b[o].bytes());
    });
  }
}
