#include "comm/nccl/calls.h"

#include <algorithm>

#include "base/error.h"

namespace ddlbench::comm::nccl {

namespace {

ncclDataType_t type_of(graph::DType dtype) {
  switch (dtype) {
    case graph::DType::f32:
      return ncclFloat32;
    case graph::DType::bf16:
      return ncclBfloat16;
    case graph::DType::f16:
      return ncclFloat16;
    case graph::DType::i32:
      return ncclInt32;
    case graph::DType::i64:
      return ncclInt64;
    case graph::DType::u8:
      return ncclUint8;
  }
  throw ContractError("unknown type of elements");
}

ncclRedOp_t op_of(graph::Reduction reduction) {
  return reduction == graph::Reduction::sum ? ncclSum : ncclMax;
}

std::size_t elements(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

bool even(const std::vector<std::int64_t>& counts) {
  return std::all_of(counts.begin(), counts.end(), [&](std::int64_t count) { return count == counts.front(); });
}

const std::byte* skip(const void* memory, std::int64_t count, graph::DType dtype) {
  return static_cast<const std::byte*>(memory) + elements(count) * graph::size_of(dtype);
}
std::byte* skip(void* memory, std::int64_t count, graph::DType dtype) {
  return static_cast<std::byte*>(memory) + elements(count) * graph::size_of(dtype);
}

}  // namespace

ncclResult_t Call::make(const Api& api, ncclComm_t communicator, cudaStream_t stream) const {
  switch (kind) {
    case Kind::all_reduce:
      return api.all_reduce(input, output, count, type, op, communicator, stream);
    case Kind::reduce:
      return api.reduce(input, output, count, type, op, peer, communicator, stream);
    case Kind::reduce_scatter:
      return api.reduce_scatter(input, output, count, type, op, communicator, stream);
    case Kind::all_gather:
      return api.all_gather(input, output, count, type, communicator, stream);
    case Kind::broadcast:
      return api.broadcast(input, output, count, type, peer, communicator, stream);
    case Kind::send:
      return api.send(input, count, type, peer, communicator, stream);
    case Kind::receive:
      return api.receive(output, count, type, peer, communicator, stream);
  }
  throw ContractError("unknown call of NCCL");
}

std::vector<Call> calls_of(const Reduce& call) {
  if (call.count == 0) return {};
  return {{Call::Kind::all_reduce, call.input, call.output, elements(call.count), type_of(call.dtype),
           op_of(call.reduction), 0}};
}

std::vector<Call> reduce_scatter_calls(const Parts& call, int rank) {
  const ncclDataType_t type = type_of(call.dtype);
  const ncclRedOp_t op = op_of(call.reduction);
  std::vector<Call> calls;
  if (even(call.counts)) {
    const std::size_t count = elements(call.counts.front());
    if (count > 0) calls.push_back({Call::Kind::reduce_scatter, call.input, call.output, count, type, op, 0});
    return calls;
  }
  std::int64_t offset = 0;
  for (int root = 0; root < static_cast<int>(call.counts.size()); ++root) {
    const std::int64_t count = call.counts[elements(root)];
    void* output = root == rank ? call.output : nullptr;
    const void* part = skip(call.input, offset, call.dtype);
    if (count > 0) calls.push_back({Call::Kind::reduce, part, output, elements(count), type, op, root});
    offset += count;
  }
  return calls;
}

std::vector<Call> all_gather_calls(const Parts& call, int rank) {
  const ncclDataType_t type = type_of(call.dtype);
  std::vector<Call> calls;
  if (even(call.counts)) {
    const std::size_t count = elements(call.counts.front());
    if (count > 0) calls.push_back({Call::Kind::all_gather, call.input, call.output, count, type, ncclSum, 0});
    return calls;
  }
  std::int64_t offset = 0;
  for (int root = 0; root < static_cast<int>(call.counts.size()); ++root) {
    const std::int64_t count = call.counts[elements(root)];
    std::byte* part = skip(call.output, offset, call.dtype);
    const void* input = root == rank ? call.input : part;
    if (count > 0) calls.push_back({Call::Kind::broadcast, input, part, elements(count), type, ncclSum, root});
    offset += count;
  }
  return calls;
}

std::vector<Call> calls_of(const Redistribute& call) {
  const ncclDataType_t type = type_of(call.dtype);
  std::vector<Call> calls;
  std::int64_t sent = 0;
  std::int64_t received = 0;
  for (int peer = 0; peer < static_cast<int>(call.send_counts.size()); ++peer) {
    const std::int64_t out = call.send_counts[elements(peer)];
    const std::int64_t in = call.receive_counts[elements(peer)];
    const void* from = skip(call.input, sent, call.dtype);
    void* into = skip(call.output, received, call.dtype);
    if (out > 0) calls.push_back({Call::Kind::send, from, nullptr, elements(out), type, ncclSum, peer});
    if (in > 0) calls.push_back({Call::Kind::receive, nullptr, into, elements(in), type, ncclSum, peer});
    sent += out;
    received += in;
  }
  return calls;
}

std::vector<Call> calls_of(const Broadcast& call) {
  if (call.count == 0) return {};
  return {{Call::Kind::broadcast, call.data, call.data, elements(call.count), type_of(call.dtype), ncclSum, call.root}};
}

std::vector<Call> calls_of(const std::vector<Outgoing>& sends, const std::vector<Incoming>& receives) {
  std::vector<Call> calls;
  for (const Outgoing& message : sends) {
    if (message.bytes > 0)
      calls.push_back(
          {Call::Kind::send, message.data, nullptr, elements(message.bytes), ncclUint8, ncclSum, message.to});
  }
  for (const Incoming& message : receives) {
    if (message.bytes > 0)
      calls.push_back(
          {Call::Kind::receive, nullptr, message.data, elements(message.bytes), ncclUint8, ncclSum, message.from});
  }
  return calls;
}

}  // namespace ddlbench::comm::nccl
