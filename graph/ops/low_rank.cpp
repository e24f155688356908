#include "graph/ops/low_rank.h"

#include <fmt/core.h>

#include "base/error.h"
#include "graph/attributes.h"

namespace ddlbench::graph {
namespace {

TensorType flat_f32(std::int64_t elements) {
  return {{elements}, DType::f32};
}

/// Throws InputError unless the inputs have these types. An empty shape stands for any floating-point type of N.
void expect(const LowRankOp& op, Types inputs, const std::vector<TensorType>& expected) {
  require(inputs.size() == expected.size(), "{}: wrong number of inputs", op.kind());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool any_float = expected[i].shape.empty();
    const TensorType wanted =
        any_float && is_float(inputs[i].dtype) ? TensorType{{op.layout.elements}, inputs[i].dtype} : expected[i];
    if (inputs[i] == wanted) continue;
    const TensorType shown = any_float ? flat_f32(op.layout.elements) : wanted;
    throw InputError(fmt::format("{}: input {} must be {}{}, not {}", op.kind(), i, to_string(shown),
                                 any_float ? ", or of another floating-point type" : "", to_string(inputs[i])));
  }
}

}  // namespace

std::int64_t LowRankLayout::p_elements() const {
  std::int64_t sum = 0;
  for (const BucketMatrix& matrix : matrices) sum += rank * matrix.rows;
  return sum;
}

std::int64_t LowRankLayout::q_elements() const {
  std::int64_t sum = 0;
  for (const BucketMatrix& matrix : matrices) sum += rank * matrix.columns;
  return sum;
}

std::vector<Extent> LowRankLayout::vectors() const {
  std::vector<Extent> runs;
  std::int64_t at = 0;
  for (const BucketMatrix& matrix : matrices) {
    if (at < matrix.begin) runs.push_back({at, matrix.begin});
    at = matrix.end();
  }
  if (at < elements) runs.push_back({at, elements});
  return runs;
}

std::int64_t LowRankLayout::vector_elements() const {
  std::int64_t sum = 0;
  for (const Extent& run : vectors()) sum += run.size();
  return sum;
}

void LowRankLayout::require_valid() const {
  require(rank >= 1, "the rank of an approximation must be at least 1, not {}", rank);
  std::int64_t at = 0;
  for (const BucketMatrix& matrix : matrices) {
    require(matrix.begin >= at && matrix.end() <= elements, "matrix {} of {}x{} overlaps another or the bucket's end",
            matrix.begin, matrix.rows, matrix.columns);
    require(rank <= matrix.rows && rank <= matrix.columns, "an approximation of {}x{} cannot have rank {}", matrix.rows,
            matrix.columns, rank);
    at = matrix.end();
  }
}

std::string LowRankOp::attributes() const {
  std::string shapes;
  for (const BucketMatrix& matrix : layout.matrices)
    shapes += fmt::format("{}{}:{}x{}", shapes.empty() ? "" : ",", matrix.begin, matrix.rows, matrix.columns);
  return attribute_text("rank", layout.rank, "elements", layout.elements, "matrices", shapes);
}

std::vector<TensorType> LowRankProject::infer(Types inputs) const {
  const TensorType whole = flat_f32(layout.elements);
  expect(*this, inputs, {{{}, DType::f32}, whole, flat_f32(layout.q_elements())});
  return {flat_f32(layout.sum_elements()), whole};
}

double LowRankProject::flops(Types, Types) const {
  return static_cast<double>(layout.elements) + 2.0 * layout.rank * matrix_elements();
}

std::vector<TensorType> LowRankOrthogonalise::infer(Types inputs) const {
  const TensorType p = flat_f32(layout.p_elements());
  expect(*this, inputs, {p});
  return {p};
}

/// Of each pair of columns a product and a difference, of each column two norms and a quotient.
double LowRankOrthogonalise::flops(Types, Types) const {
  return static_cast<double>(layout.p_elements()) * (2.0 * (layout.rank - 1) + 5);
}

std::string LowRankProjectBack::attributes() const {
  return LowRankOp::attributes() + " " + attribute_text("ranks", ranks);
}

std::vector<TensorType> LowRankProjectBack::infer(Types inputs) const {
  const TensorType q = flat_f32(layout.q_elements());
  expect(*this, inputs, {flat_f32(layout.elements), flat_f32(layout.p_elements()), q});
  return {q};
}

double LowRankProjectBack::flops(Types, Types) const {
  return 2.0 * layout.rank * matrix_elements();
}

std::string LowRankReconstruct::attributes() const {
  return LowRankOp::attributes() + " " + attribute_text("ranks", ranks, "to", to);
}

std::vector<TensorType> LowRankReconstruct::infer(Types inputs) const {
  const TensorType whole = flat_f32(layout.elements);
  require(is_float(to), "low_rank_reconstruct: wrong attributes");
  expect(*this, inputs, {flat_f32(layout.sum_elements()), flat_f32(layout.q_elements()), whole});
  return {{{layout.elements}, to}, whole};
}

double LowRankReconstruct::flops(Types, Types) const {
  return (2.0 * layout.rank + 2) * matrix_elements();
}

}  // namespace ddlbench::graph
