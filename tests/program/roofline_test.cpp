#include "program/roofline.h"

#include "builder.h"
#include "catch.h"
#include "graph/ops/embedding.h"

using namespace ddlbench;
using namespace ddlbench::program;
using ddlbench::test::Builder;

namespace {

Operand operand_of(graph::Shape shape, graph::DType dtype, BufferId buffer) {
  const graph::TensorType type{std::move(shape), dtype};
  return {{buffer, 0, static_cast<std::int64_t>(graph::bytes(type))}, type};
}

}  // namespace

TEST_CASE("an op takes the longer of the times for its FLOPs and its bytes, and costs of one kind add up") {
  Builder b;
  const BufferId w = b.persistent("w", 100), a = b.transient("a", 30), c = b.transient("c", 50);
  b.compute("first", {{w}, {w}}, {{a}});  // 30 FLOPs; 100 + 30 elements: an operand used twice is read once
  b.accumulate("second", {{a}}, {{c}});   // 50 FLOPs; 30 + 2 · 50 elements
  b.all_reduce("reduce", {w});
  const auto slow_memory = work_of_step(b.program, {1e3, 1e3});
  REQUIRE(slow_memory.size() == 1);
  CHECK(slow_memory[0].kind == "any");
  CHECK(slow_memory[0].launches == 2);
  CHECK(slow_memory[0].flops == 80);
  CHECK(slow_memory[0].bytes == 4 * 130 + 4 * 130);
  CHECK(slow_memory[0].least_seconds == Approx(1.04));
  CHECK(slow_memory[0].memory_seconds == Approx(1.04));
  const OpWork slow_math = total_of(work_of_step(b.program, {10, 520}));
  CHECK(slow_math.kind == "total");
  CHECK(slow_math.least_seconds == Approx(3 + 5));
  CHECK(slow_math.memory_seconds == 0);
  CHECK(total_of(work_of_step(b.program, {40, 520})).memory_seconds == Approx(1));  // only the first op
}

TEST_CASE("a lookup reads only the rows that it returns") {
  Program program;
  Instruction lookup;
  lookup.action = Compute{{std::make_shared<graph::Embedding>()},
                          {operand_of({2, 3}, graph::DType::i32, 0), operand_of({1000, 8}, graph::DType::bf16, 1)},
                          {operand_of({2, 3, 8}, graph::DType::bf16, 2)}};
  program.bodies.front().push_back(lookup);
  CHECK(total_of(work_of_step(program, {1, 1})).bytes == 2 * 3 * 4 + 2 * (2 * 3 * 8 * 2));
}

TEST_CASE("the kind with the longest time comes first, and a copy counts both ends") {
  Builder b;
  const BufferId a = b.transient("a", 10), c = b.transient("c", 1000), d = b.transient("d", 1000);
  b.compute("small", {{a}}, {{a}});
  Instruction copy;
  copy.action = Copy{{c, 0, 4000}, {d, 0, 4000}};
  b.program.bodies.front().push_back(copy);
  const auto work = work_of_step(b.program, {1e12, 1e12});
  REQUIRE(work.size() == 2);
  CHECK(work[0].kind == "copy");
  CHECK(work[0].bytes == 8000);
}
