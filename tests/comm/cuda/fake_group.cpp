#include "fake_group.h"

#include <chrono>
#include <cstring>
#include <stdexcept>

#include "../fake_device.h"
#include "comm/reduce.h"
#include "fake_nccl.h"

namespace ddlbench::comm::testing::fake_nccl {

namespace {

using nccl::Call;
using Bytes = std::vector<std::byte>;

graph::DType dtype_of(ncclDataType_t type) {
  if (type == ncclFloat32) return graph::DType::f32;
  if (type == ncclBfloat16) return graph::DType::bf16;
  if (type == ncclFloat16) return graph::DType::f16;
  if (type == ncclInt32) return graph::DType::i32;
  if (type == ncclInt64) return graph::DType::i64;
  if (type == ncclUint8) return graph::DType::u8;
  throw std::runtime_error("a type that nobody asks for");
}

std::size_t bytes_of(const Call& call) {
  return call.count * graph::size_of(dtype_of(call.type));
}

struct Aborted {};

void deposit(Member& member, const Placed& placed) {
  const Call& call = placed.call;
  Clique& clique = *member.clique;
  if (call.kind == Call::Kind::receive) return;
  if (call.kind == Call::Kind::broadcast && call.peer != member.rank) return;
  const bool whole = call.kind == Call::Kind::reduce_scatter;
  const bool for_one = call.kind == Call::Kind::send || call.kind == Call::Kind::reduce;
  const std::size_t bytes = bytes_of(call) * static_cast<std::size_t>(whole ? clique.ranks : 1);
  const std::byte* from = FakeMemory::bytes_at(call.input, bytes);
  const std::lock_guard lock(clique.mutex);
  clique.parts[placed.key] = {Bytes(from, from + bytes), call, for_one ? 1 : clique.ranks};
  clique.changed.notify_all();
}

Bytes take(Member& member, const Key& key, const Call& own) {
  Clique& clique = *member.clique;
  std::unique_lock lock(clique.mutex);
  const bool stuck = own.kind != Call::Kind::receive && key[1] >= state().running_collectives;
  const auto there = [&] { return !stuck && clique.parts.count(key) > 0; };
  while (!member.aborted && !there()) clique.changed.wait_for(lock, std::chrono::milliseconds(1));
  if (member.aborted) throw Aborted();
  Clique::Part& part = clique.parts[key];
  const bool message = own.kind == Call::Kind::receive;
  const bool fits = part.call.count == own.count && part.call.type == own.type && part.call.op == own.op &&
                    (message || (part.call.kind == own.kind && part.call.peer == own.peer));
  if (!fits) throw std::runtime_error("calls that do not match");
  Bytes content = part.content;
  if (--part.readers == 0) clique.parts.erase(key);
  return content;
}

void put(void* device, const std::byte* from, std::size_t bytes) {
  std::memcpy(FakeMemory::bytes_at(device, bytes), from, bytes);
}

void finish(Member& member, const Placed& placed) {
  const Call& call = placed.call;
  const std::size_t bytes = bytes_of(call);
  const auto part_of = [&](int rank) {
    Key key = placed.key;
    key[2] = rank;
    return take(member, key, call);
  };
  const auto reduced = [&](std::size_t offset) {
    Bytes sum;
    for (int rank = 0; rank < member.clique->ranks; ++rank) {
      const Bytes part = part_of(rank);
      if (rank == 0) {
        sum.assign(part.begin() + static_cast<std::ptrdiff_t>(offset),
                   part.begin() + static_cast<std::ptrdiff_t>(offset + bytes));
        continue;
      }
      const auto reduction = call.op == ncclSum ? graph::Reduction::sum : graph::Reduction::max;
      reduce(dtype_of(call.type), reduction, sum.data(), sum.data(), part.data() + offset,
             static_cast<std::int64_t>(call.count));
    }
    put(call.output, sum.data(), bytes);
  };
  switch (call.kind) {
    case Call::Kind::all_reduce:
      return reduced(0);
    case Call::Kind::reduce:
      return call.peer == member.rank ? reduced(0) : void();
    case Call::Kind::reduce_scatter:
      return reduced(bytes * static_cast<std::size_t>(member.rank));
    case Call::Kind::all_gather:
      for (int rank = 0; rank < member.clique->ranks; ++rank) {
        put(static_cast<std::byte*>(call.output) + bytes * static_cast<std::size_t>(rank), part_of(rank).data(), bytes);
      }
      return;
    case Call::Kind::broadcast:
      return put(call.output, part_of(call.peer).data(), bytes);
    case Call::Kind::send:
      return;
    case Call::Kind::receive:
      return put(call.output, take(member, placed.key, call).data(), bytes);
  }
}

}  // namespace

Placed place(Member& member, const Call& call) {
  if (call.kind == Call::Kind::send) return {call, {1, member.rank, call.peer, member.sent[call.peer]++}};
  if (call.kind == Call::Kind::receive) return {call, {1, call.peer, member.rank, member.received[call.peer]++}};
  return {call, {0, member.collectives++, member.rank, 0}};
}

void run_group(Member& member, const std::vector<Placed>& group) {
  try {
    for (const Placed& placed : group) deposit(member, placed);
    for (const Placed& placed : group) finish(member, placed);
  } catch (const Aborted&) {
    return;
  } catch (const std::exception&) {
    ++state().wrong_uses;
  }
}

}  // namespace ddlbench::comm::testing::fake_nccl
