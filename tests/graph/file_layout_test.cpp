#include "graph/file_layout.h"

#include <numeric>

#include "base/error.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::graph;

namespace {

std::vector<float> first_numbers(std::size_t size) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), 0.F);
  return values;
}

}  // namespace

TEST_CASE("a matrix is transposed in the file") {
  const FileLayout layout{true, 0};
  CHECK(file_shape(layout, {2, 3}) == Shape{3, 2});
  CHECK(to_file(layout, {2, 3}, first_numbers(6)) == std::vector<float>{0, 3, 1, 4, 2, 5});
  CHECK(from_file(layout, {2, 3}, {0, 3, 1, 4, 2, 5}) == first_numbers(6));
  CHECK_THROWS_AS(file_shape(layout, {6}), ContractError);
}

TEST_CASE("query, key and value of all heads are three blocks in the file") {
  // Two heads of size 2. Rows in ddlbench: h0 q, h0 k, h0 v, h1 q, …; in the file: q h0, q h1, k h0, ….
  const FileLayout bias{false, 2};
  const std::vector<float> stored{0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11};
  CHECK(to_file(bias, {12}, first_numbers(12)) == stored);
  CHECK(from_file(bias, {12}, stored) == first_numbers(12));
  CHECK_THROWS_AS(file_shape(bias, {10}), ContractError);

  // Two inputs, also transposed.
  const FileLayout weight{true, 1};
  CHECK(file_shape(weight, {6, 2}) == Shape{2, 6});
  // Two heads of size 1. Rows in ddlbench: q0, k0, v0, q1, k1, v1; columns in the file: q0, q1, k0, k1, v0, v1.
  CHECK(to_file(weight, {6, 2}, first_numbers(12)) == std::vector<float>{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11});
  CHECK(from_file(weight, {6, 2}, to_file(weight, {6, 2}, first_numbers(12))) == first_numbers(12));
}

TEST_CASE("an optimizer state has the name and the layout of its parameter in the file") {
  FileNames names;
  names.parameters["a.weight"] = {"net.a.weight", {true, 0}};
  names.ignored = {".mask"};
  CHECK(names.of("a.weight").name == "net.a.weight");
  CHECK(names.of("a.weight.momentum").name == "net.a.weight.momentum");
  CHECK(names.of("a.weight.momentum").layout.transposed);
  CHECK(names.of("b.weight").name == "b.weight");
  CHECK(names.of("b.weight.momentum").name == "b.weight.momentum");
  CHECK(names.of("plain").layout.is_plain());
  CHECK(names.ignores("h.0.attn.mask"));
  CHECK_FALSE(names.ignores("mask"));
}
