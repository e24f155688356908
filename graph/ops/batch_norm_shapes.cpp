#include "graph/ops/batch_norm_shapes.h"

#include <fmt/core.h>

#include "base/error.h"
#include "graph/ops/batch_norm.h"

namespace ddlbench::graph {
namespace {

void expect(const std::string& op, const std::string& input, const TensorType& type, const TensorType& wanted,
            const TensorType& of) {
  if (type == wanted) return;
  throw InputError(fmt::format("{}: {} {} does not match {}; it must be {}", op, input, to_string(type), to_string(of),
                               to_string(wanted)));
}

void expect_dimensions(const std::string& op, const TensorType& x) {
  if (x.shape.size() < 2)
    throw InputError(fmt::format("{}: {} has no channels: at least two dimensions are needed", op, to_string(x)));
}

std::int64_t groups_of(const Shape& x, std::int64_t samples) {
  return samples == 0 ? 1 : x[0] / samples;
}

}  // namespace

TensorType moments_of(const Shape& x, std::int64_t samples) {
  return {{groups_of(x, samples), moment_rows, x[1]}, DType::f32};
}

TensorType sums_of(const Shape& x, std::int64_t samples) {
  return {{groups_of(x, samples), 2, x[1]}, DType::f32};
}

void expect_groups(const std::string& op, const TensorType& x, std::int64_t samples) {
  expect_dimensions(op, x);
  if (samples < 0 || (samples > 0 && x.shape[0] % samples != 0))
    throw InputError(
        fmt::format("{}: the {} samples of {} do not divide into groups of {}", op, x.shape[0], to_string(x), samples));
}

void expect_moments(const std::string& op, const TensorType& moments) {
  require(moments.dtype == DType::f32 && moments.shape.size() == 3 && moments.shape[1] == moment_rows,
          op + ": the inputs are not moments of groups");
}

void expect_moments(const std::string& op, const TensorType& moments, const TensorType& x, std::int64_t samples) {
  expect_groups(op, x, samples);
  expect(op, "moments", moments, moments_of(x.shape, samples), x);
}

void expect_sums(const std::string& op, const TensorType& sums, const TensorType& moments) {
  expect(op, "sums", sums, {{moments.shape[0], 2, moments.shape[2]}, DType::f32}, moments);
}

void expect_channels(const std::string& op, const std::string& input, const TensorType& type, const TensorType& x,
                     DType dtype) {
  expect_dimensions(op, x);
  expect(op, input, type, {{x.shape[1]}, dtype}, x);
}

void expect_equal(const std::string& op, const std::string& input, const TensorType& type, const TensorType& x) {
  expect(op, input, type, x, x);
}

}  // namespace ddlbench::graph
