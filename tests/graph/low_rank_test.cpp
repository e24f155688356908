#include "graph/ops/low_rank.h"

#include "catch.h"
#include "ops.h"

using namespace ddlbench;
using namespace ddlbench::graph;
using test::f32;
using test::rejection;

namespace {

/// A vector of 3 elements, a matrix of 4 × 6, a vector of 1, a matrix of 5 × 3: P has 9 elements for each column, and Q
/// as many.
LowRankLayout two_matrices(int rank) {
  return {43, rank, {{3, 4, 6}, {28, 5, 3}}};
}

}  // namespace

TEST_CASE("a bucket's elements are those of its matrices and of the vectors between them") {
  const LowRankLayout layout = two_matrices(2);
  CHECK(layout.vectors() == std::vector<Extent>{{0, 3}, {27, 28}});
  CHECK(layout.vector_elements() == 4);
  CHECK(layout.p_elements() == 18);
  CHECK(layout.q_elements() == 18);
  CHECK(layout.sum_elements() == 22);
  CHECK(LowRankLayout{5, 1, {}}.vectors() == std::vector<Extent>{{0, 5}});
  CHECK(LowRankLayout{12, 1, {{0, 3, 4}}}.vectors().empty());
}

TEST_CASE("a matrix is compressed if P and Q are smaller") {
  CHECK(compresses(2, 6, 25));
  CHECK_FALSE(compresses(5, 6, 25));  // 155 elements instead of 150
  CHECK_FALSE(compresses(1, 2, 2));
  CHECK(compresses(1, 2, 3));
  CHECK_FALSE(compresses(1, 1, 1000));
}

TEST_CASE("the ops of PowerSGD infer P with the vectors, Q, the gradient and the residual") {
  const LowRankLayout layout = two_matrices(2);
  const TensorType narrow{{43}, DType::bf16};
  CHECK(LowRankProject(layout).infer(std::vector{narrow, f32({43}), f32({18})}) == std::vector{f32({22}), f32({43})});
  CHECK(LowRankOrthogonalise(layout).infer(std::vector{f32({18})}) == std::vector{f32({18})});
  CHECK(LowRankProjectBack(layout, 2).infer(std::vector{f32({43}), f32({18}), f32({18})}) == std::vector{f32({18})});
  CHECK(LowRankReconstruct(layout, 2, DType::bf16).infer(std::vector{f32({22}), f32({18}), f32({43})}) ==
        std::vector{narrow, f32({43})});
  CHECK(rejection(LowRankProject(layout), {TensorType{{43}, DType::u8}, f32({43}), f32({18})}) ==
        "low_rank_project: input 0 must be f32[43], or of another floating-point type, not u8[43]");
  CHECK(rejection(LowRankProjectBack(layout, 2), {f32({43}), f32({17}), f32({18})}) ==
        "low_rank_project_back: input 1 must be f32[18], not f32[17]");
  CHECK(LowRankReconstruct(layout, 3).attributes() == "rank=2 elements=43 matrices=3:4x6,28:5x3 ranks=3 to=f32");
}

TEST_CASE("a layout whose matrices overlap or have a lower rank is rejected") {
  const auto said = [](const LowRankLayout& layout) {
    return test::failure_of<ContractError>([&] { layout.require_valid(); });
  };
  CHECK_NOTHROW(two_matrices(3).require_valid());
  CHECK(said(two_matrices(4)).find("an approximation of 5x3 cannot have rank 4") != std::string::npos);
  CHECK(said({43, 1, {{3, 4, 6}, {20, 5, 3}}}).find("overlaps another") != std::string::npos);
  CHECK(said({26, 1, {{3, 4, 6}}}).find("the bucket's end") != std::string::npos);
}

TEST_CASE("the FLOPs of PowerSGD's ops count the elements of matrices") {
  const LowRankLayout layout = two_matrices(2);  // 39 elements of 43
  CHECK(LowRankProject(layout).flops({}, {}) == 43 + 4 * 39);
  CHECK(LowRankOrthogonalise(layout).flops({}, {}) == 18 * 7);
  CHECK(LowRankProjectBack(layout, 2).flops({}, {}) == 4 * 39);
  CHECK(LowRankReconstruct(layout, 2).flops({}, {}) == 6 * 39);
}
