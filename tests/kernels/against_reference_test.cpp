#include "cases.h"
#include "catch.h"
#include "graph/ops/optimizer.h"

using namespace ddlbench;

namespace {

void compare(const std::string& kind, int threads) {
  const auto oracle = test::device("reference");
  const auto device = test::device(kind, threads);
  test::on_each(test::op_cases(), [&](const test::OpCase& one) {
    CAPTURE(kind, threads);
    const auto expected = test::run(*oracle, one.run);
    const auto actual = test::run(*device, one.run);
    REQUIRE(actual.size() == expected.size());
    for (std::size_t o = 0; o < actual.size(); ++o) {
      CHECK(test::largest_error(actual[o], expected[o], 1.0) <= test::tolerance(one.terms));
    }
  });
}

}  // namespace

TEST_CASE("every op on every device equals the reference", "[ops]") {
  for (const auto& kind : test::other_kinds()) compare(kind, 1);
}

TEST_CASE("every op on every device equals the reference on several threads", "[ops]") {
  for (const auto& kind : test::other_kinds()) compare(kind, 3);
}

TEST_CASE("optimizers update in place") {
  for (const auto& kind : test::kinds()) {
    const auto device = test::device(kind.name, 2);
    test::on_each(test::op_cases(), [&](test::OpCase one) {
      const auto kind_of_op = one.run.op->kind();
      const bool measures = kind_of_op == "lamb_measure" || kind_of_op == "tensor_norms";
      if (dynamic_cast<const graph::UpdateOp*>(one.run.op.get()) == nullptr || measures) return;
      CAPTURE(kind.name);
      const auto apart = test::run(*device, one.run);
      one.run.in_place = {{0, 0}};
      for (int state = 1; state < static_cast<int>(apart.size()); ++state) {
        one.run.in_place.push_back({state, state + 1});
      }
      const auto in_place = test::run(*device, one.run);
      for (std::size_t o = 0; o < apart.size(); ++o) CHECK(in_place[o].values == apart[o].values);
    });
  }
}

TEST_CASE("two devices of a kind and as many threads compute the same bits", "[ops]") {
  for (const auto& kind : test::other_kinds()) {
    const auto first = test::device(kind, 2), second = test::device(kind, 2);
    test::on_each(test::op_cases(), [&](const test::OpCase& one) {
      CAPTURE(kind);
      const auto a = test::run(*first, one.run), b = test::run(*second, one.run);
      for (std::size_t o = 0; o < a.size(); ++o) CHECK(a[o].values == b[o].values);
    });
  }
}
