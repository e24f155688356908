#include "graph/tensor.h"

#include "base/error.h"
#include "catch.h"

using namespace ddlbench::graph;

TEST_CASE("parts cover a range without gaps, and the first ones are longer") {
  for (int parts = 1; parts <= 7; ++parts)
    for (std::int64_t size : {0, 1, 5, 7, 64}) {
      std::int64_t at = 0;
      for (int i = 0; i < parts; ++i) {
        const Extent part = part_of(size, parts, i);
        CHECK(part.begin == at);
        CHECK(part.size() - size / parts == (i < size % parts ? 1 : 0));
        at = part.end;
      }
      CHECK(at == size);
    }
}

TEST_CASE("parts are multiples of their unit") {
  CHECK(part_of(256, 3, 0, 16) == Extent{0, 96});
  CHECK(part_of(256, 3, 1, 16) == Extent{96, 176});
  CHECK(part_of(256, 3, 2, 16) == Extent{176, 256});
  CHECK_THROWS_AS(part_of(10, 2, 0, 3), ddlbench::ContractError);
}

TEST_CASE("a tensor type has a text and a size in bytes") {
  const TensorType type{{64, 1, 28, 28}, DType::f32};
  CHECK(to_string(type) == "f32[64x1x28x28]");
  CHECK(bytes(type) == 64u * 28 * 28 * 4);
}
