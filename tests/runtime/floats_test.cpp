#include "runtime/floats.h"

#include "base/error.h"
#include "catch.h"
#include "plans.h"
#include "ranks.h"

using namespace ddlbench;
using namespace ddlbench::program;
using namespace ddlbench::runtime;
using namespace ddlbench::test;
using graph::DType;

TEST_CASE("16-bit numbers in device memory are read and written as f32") {
  const auto device = kernels::make_device("reference", {});
  void* const memory = device->allocate(64);
  const std::vector<float> values{1, -2.5F, 1 + 0x1p-8F, 1 + 0x1.8p-7F, 0x1p-30F};
  std::vector<float> back(values.size());
  const auto there_and_back = [&](DType dtype) {
    write_floats(*device, dtype, memory, values);
    read_floats(*device, dtype, memory, back);
    return back;
  };
  CHECK(there_and_back(DType::f32) == values);
  CHECK(there_and_back(DType::bf16) == std::vector<float>{1, -2.5F, 1, 1 + 0x1p-6F, 0x1p-30F});
  CHECK(there_and_back(DType::f16) == std::vector<float>{1, -2.5F, 1 + 0x1p-8F, 1 + 0x1.8p-7F, 0});
  CHECK_THROWS_AS(read_floats(*device, DType::i32, memory, back), ContractError);
  CHECK_THROWS_AS(write_floats(*device, DType::i32, memory, values), ContractError);
  device->release(memory);
}

TEST_CASE("an engine reads and writes 16-bit state as f32 and writes all versions") {
  ProgramWriter w;
  const BufferId kept = w.persistent("w", MemoryClass::parameters, 8, 2);
  StateShard shard;
  shard.tensor = "h";
  shard.whole = {{4}, DType::bf16};
  shard.box = {{0, 4}};
  shard.view = operand(kept, {4}, 0, DType::bf16).view;
  const HeldState last{&shard, {2, 4}, operand(kept, {2}, 4, DType::bf16).view};
  const HeldState mismatch{&shard, {0, 4}, operand(kept, {4}).view};
  std::vector<float> all(4), before(2, -1.0F);
  bool refused = false;
  run_ranks(completed(two_element_plan(w.program, kept)), [&](Engine& engine, comm::Communicator&) {
    engine.write({&shard, {0, 4}, shard.view}, std::vector<float>{1, 2, 3, 4}.data());
    engine.write(last, std::vector<float>{1 + 0x1p-8F, 8}.data());
    engine.read({&shard, {0, 4}, shard.view}, all.data());
    HeldState older = last;
    older.view.age = 1;
    engine.read(older, before.data());
    try {
      engine.read(mismatch, all.data());
    } catch (const ContractError&) {
      refused = true;
    }
  });
  CHECK(all == std::vector<float>{1, 2, 1, 8});
  CHECK(before == std::vector<float>{1, 8});
  CHECK(refused);
}
