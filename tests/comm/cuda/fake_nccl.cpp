#include "fake_nccl.h"

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "comm/nccl/calls.h"
#include "comm/reduce.h"
#include "fake_device.h"

namespace ddlbench::comm::testing::fake_nccl {

namespace {

using nccl::Call;
using Bytes = std::vector<std::byte>;
/// A collective's part: 0, its number, the rank, 0. A message: 1, from, to, its number.
using Key = std::array<std::int64_t, 4>;

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

/// What the ranks of one unique id share: data on its way.
struct Meeting {
  explicit Meeting(int size) : ranks(size) {}
  struct Part {
    Bytes content;
    Call call;
    int readers = 0;
  };
  const int ranks;
  std::mutex mutex;
  std::condition_variable news;
  int joined = 0;
  std::map<Key, Part> parts;
};

struct Member {
  std::shared_ptr<Meeting> meeting;
  int rank = 0;
  std::atomic<bool> aborted{false};
  // Touched by the rank's own thread alone.
  std::int64_t collectives = 0;
  std::map<int, std::int64_t> sent;
  std::map<int, std::int64_t> received;
  int looks_left = 0;  ///< until what is begun is done
  std::function<void()> after_looks;
};
using MemberPtr = std::shared_ptr<Member>;

struct Registry {
  std::mutex mutex;
  std::int64_t ids = 0;
  std::map<std::int64_t, std::shared_ptr<Meeting>> meetings;
  std::map<ncclComm_t, MemberPtr> members;
};
Registry& registry() {
  static Registry all;
  return all;
}

MemberPtr find(ncclComm_t communicator) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().members.find(communicator);
  if (found != registry().members.end()) return found->second;
  ++state().wrong_uses;
  return nullptr;
}

MemberPtr remove(ncclComm_t communicator) {
  MemberPtr member = find(communicator);
  const std::lock_guard lock(registry().mutex);
  registry().members.erase(communicator);
  return member;
}

/// A call with its place among those of its communicator.
struct Placed {
  Call call;
  Key key{};
};

struct Aborted {};

void deposit(Member& member, const Placed& placed) {
  const Call& call = placed.call;
  Meeting& meeting = *member.meeting;
  if (call.kind == Call::Kind::receive) return;
  if (call.kind == Call::Kind::broadcast && call.peer != member.rank) return;
  const bool whole = call.kind == Call::Kind::reduce_scatter;
  const bool for_one = call.kind == Call::Kind::send || call.kind == Call::Kind::reduce;
  const std::size_t bytes = bytes_of(call) * static_cast<std::size_t>(whole ? meeting.ranks : 1);
  const std::byte* from = FakeMemory::bytes_at(call.input, bytes);
  const std::lock_guard lock(meeting.mutex);
  meeting.parts[placed.key] = {Bytes(from, from + bytes), call, for_one ? 1 : meeting.ranks};
  meeting.news.notify_all();
}

Bytes take(Member& member, const Key& key, const Call& own) {
  Meeting& meeting = *member.meeting;
  std::unique_lock lock(meeting.mutex);
  const bool stuck = own.kind != Call::Kind::receive && key[1] >= state().running_collectives;
  const auto there = [&] { return !stuck && meeting.parts.count(key) > 0; };
  while (!member.aborted && !there()) meeting.news.wait_for(lock, std::chrono::milliseconds(1));
  if (member.aborted) throw Aborted();
  Meeting::Part& part = meeting.parts[key];
  const bool message = own.kind == Call::Kind::receive;
  const bool fits = part.call.count == own.count && part.call.type == own.type && part.call.op == own.op &&
                    (message || (part.call.kind == own.kind && part.call.peer == own.peer));
  if (!fits) throw std::runtime_error("calls that do not match");
  Bytes content = part.content;
  if (--part.readers == 0) meeting.parts.erase(key);
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
    for (int rank = 0; rank < member.meeting->ranks; ++rank) {
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
      for (int rank = 0; rank < member.meeting->ranks; ++rank) {
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

/// The group that this thread has open: of one communicator and stream.
struct OpenGroup {
  int depth = 0;
  MemberPtr member;
  FakeStream* stream = nullptr;
  std::vector<Placed> calls;
};
thread_local OpenGroup open_group;

ncclResult_t add(const Call& call, ncclComm_t communicator, cudaStream_t stream) {
  const MemberPtr member = find(communicator);
  if (!member || open_group.depth == 0) return ncclInvalidUsage;
  int failing = member->rank;
  if (call.kind == Call::Kind::all_reduce && state().failing_start.compare_exchange_strong(failing, -1))
    return ncclInvalidUsage;
  if (member->looks_left > 0) ++state().wrong_uses;  // while it is still in progress
  open_group.member = member;
  open_group.stream = reinterpret_cast<FakeStream*>(stream);
  open_group.calls.push_back(place(*member, call));
  return ncclSuccess;
}

ncclResult_t group_start() {
  ++open_group.depth;
  return ncclSuccess;
}

ncclResult_t group_end() {
  if (--open_group.depth > 0) return ncclSuccess;
  OpenGroup group = std::exchange(open_group, {});
  if (!group.member) return ncclSuccess;
  group.member->looks_left = 2;
  group.member->after_looks = [member = group.member, stream = group.stream, calls = std::move(group.calls)] {
    stream->put([member, calls] { run_group(*member, calls); });
  };
  return ncclInProgress;
}

ncclResult_t init_rank(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank, ncclConfig_t* config) {
  if (config->blocking != 0) return ncclInvalidUsage;
  std::int64_t number = 0;
  std::memcpy(&number, id.internal + 100, sizeof number);  // so that all of its bytes must come
  auto member = std::make_shared<Member>();
  {
    const std::lock_guard lock(registry().mutex);
    if (number <= 0 || number > registry().ids) return ncclInvalidArgument;
    std::shared_ptr<Meeting>& meeting = registry().meetings[number];
    if (!meeting) meeting = std::make_shared<Meeting>(ranks);
    member->meeting = meeting;
    member->rank = rank;
    *communicator = reinterpret_cast<ncclComm_t>(member.get());
    registry().members[*communicator] = member;
  }
  const std::lock_guard lock(member->meeting->mutex);
  ++member->meeting->joined;
  ++state().made;
  return ncclInProgress;
}

ncclResult_t async_error(ncclComm_t communicator, ncclResult_t* result) {
  const MemberPtr member = find(communicator);
  if (!member) return ncclInvalidArgument;
  *result = ncclSuccess;
  int failing = member->rank;
  if (state().failing_rank.compare_exchange_strong(failing, -1)) {
    *result = state().error;
    return ncclSuccess;
  }
  {
    const std::lock_guard lock(member->meeting->mutex);
    if (member->meeting->joined < member->meeting->ranks || state().init_never_ends) *result = ncclInProgress;
  }
  if (member->looks_left > 0) {
    *result = ncclInProgress;
    if (--member->looks_left == 0 && member->after_looks) std::exchange(member->after_looks, nullptr)();
  }
  return ncclSuccess;
}

ncclResult_t finalize(ncclComm_t communicator) {
  const MemberPtr member = find(communicator);
  if (!member) return ncclInvalidArgument;
  member->looks_left = 2;
  return ncclInProgress;
}

ncclResult_t destroy(ncclComm_t communicator) {
  const MemberPtr member = remove(communicator);
  if (!member) return ncclInvalidArgument;
  if (member->looks_left > 0) ++state().wrong_uses;
  ++state().destroyed;
  return ncclSuccess;
}

ncclResult_t abort(ncclComm_t communicator) {
  const MemberPtr member = remove(communicator);
  if (!member) return ncclInvalidArgument;
  member->aborted = true;
  ++state().aborted;
  while (state().abort_never_ends) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return ncclSuccess;
}

ncclResult_t get_unique_id(ncclUniqueId* id) {
  const std::lock_guard lock(registry().mutex);
  const std::int64_t number = ++registry().ids;
  std::memset(id->internal, 0, sizeof id->internal);
  std::memcpy(id->internal + 100, &number, sizeof number);
  return ncclSuccess;
}

nccl::Api make_api() {
  nccl::Api fake;
  fake.get_version = [](int* version) {
    *version = 22809;
    return ncclSuccess;
  };
  fake.get_unique_id = get_unique_id;
  fake.init_rank = init_rank;
  fake.async_error = async_error;
  fake.finalize = finalize;
  fake.destroy = destroy;
  fake.abort = abort;
  fake.error_string = [](ncclResult_t result) {
    return result == ncclRemoteError ? "remote process exited" : "unhandled system error";
  };
  fake.last_error = [](ncclComm_t) { return "socket closed"; };
  fake.group_start = group_start;
  fake.group_end = group_end;
  fake.all_reduce = [](const void* in, void* out, size_t count, ncclDataType_t type, ncclRedOp_t op,
                       ncclComm_t communicator, cudaStream_t stream) {
    return add({Call::Kind::all_reduce, in, out, count, type, op, 0}, communicator, stream);
  };
  fake.reduce = [](const void* in, void* out, size_t count, ncclDataType_t type, ncclRedOp_t op, int root,
                   ncclComm_t communicator, cudaStream_t stream) {
    return add({Call::Kind::reduce, in, out, count, type, op, root}, communicator, stream);
  };
  fake.reduce_scatter = [](const void* in, void* out, size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t communicator, cudaStream_t stream) {
    return add({Call::Kind::reduce_scatter, in, out, count, type, op, 0}, communicator, stream);
  };
  fake.all_gather = [](const void* in, void* out, size_t count, ncclDataType_t type, ncclComm_t communicator,
                       cudaStream_t stream) {
    return add({Call::Kind::all_gather, in, out, count, type, ncclSum, 0}, communicator, stream);
  };
  fake.broadcast = [](const void* in, void* out, size_t count, ncclDataType_t type, int root, ncclComm_t communicator,
                      cudaStream_t stream) {
    return add({Call::Kind::broadcast, in, out, count, type, ncclSum, root}, communicator, stream);
  };
  fake.send = [](const void* in, size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                 cudaStream_t stream) {
    return add({Call::Kind::send, in, nullptr, count, type, ncclSum, peer}, communicator, stream);
  };
  fake.receive = [](void* out, size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                    cudaStream_t stream) {
    return add({Call::Kind::receive, nullptr, out, count, type, ncclSum, peer}, communicator, stream);
  };
  fake.device_count = [](int* count) {
    *count = state().no_gpu ? 0 : 8;
    return state().no_gpu ? cudaErrorInsufficientDriver : cudaSuccess;
  };
  fake.stream_query = [](cudaStream_t stream) {
    return reinterpret_cast<FakeStream*>(stream)->idle() ? cudaSuccess : cudaErrorNotReady;
  };
  fake.allocate = [](void** memory, size_t bytes) {
    *memory = FakeMemory().allocate(bytes);
    return cudaSuccess;
  };
  fake.release = [](void* memory) {
    FakeMemory().release(memory);
    return cudaSuccess;
  };
  fake.fill = [](void* memory, int value, size_t bytes, cudaStream_t) {
    std::memset(FakeMemory::bytes_at(memory, bytes), value, bytes);
    return cudaSuccess;
  };
  fake.cuda_error_string = [](cudaError_t) { return "driver too old"; };
  return fake;
}

}  // namespace

State& state() {
  static State all;
  return all;
}

void reset() {
  State& all = state();
  all.no_gpu = all.init_never_ends = all.abort_never_ends = false;
  all.running_collectives = 1 << 30;
  all.failing_rank = all.failing_start = -1;
  all.error = ncclSystemError;
  all.made = all.destroyed = all.aborted = all.wrong_uses = 0;
}

const nccl::Api& api() {
  static const nccl::Api fake = make_api();
  return fake;
}

}  // namespace ddlbench::comm::testing::fake_nccl
