#include "fake_nccl.h"

#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "../fake_device.h"
#include "comm/nccl/calls.h"
#include "fake_group.h"

namespace ddlbench::comm::testing::fake_nccl {

namespace {

using nccl::Call;

struct Registry {
  std::mutex mutex;
  std::int64_t ids = 0;
  std::map<std::int64_t, std::shared_ptr<Clique>> cliques;
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

/// The group that this thread has opened, with its communicator and stream.
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
  if (member->polls_left > 0) ++state().wrong_uses;  // the previous call is still in progress
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
  group.member->polls_left = 2;
  group.member->after_polls = [member = group.member, stream = group.stream, calls = std::move(group.calls)] {
    stream->put([member, calls] { run_group(*member, calls); });
  };
  return ncclInProgress;
}

ncclResult_t init_rank(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank, ncclConfig_t* config) {
  if (config->blocking != 0) return ncclInvalidUsage;
  std::int64_t number = 0;
  std::memcpy(&number, id.internal + 100, sizeof number);  // so that all bytes of the ID must arrive
  auto member = std::make_shared<Member>();
  {
    const std::lock_guard lock(registry().mutex);
    if (number <= 0 || number > registry().ids) return ncclInvalidArgument;
    std::shared_ptr<Clique>& clique = registry().cliques[number];
    if (!clique) clique = std::make_shared<Clique>(ranks);
    member->clique = clique;
    member->rank = rank;
    *communicator = reinterpret_cast<ncclComm_t>(member.get());
    registry().members[*communicator] = member;
  }
  const std::lock_guard lock(member->clique->mutex);
  ++member->clique->joined;
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
    const std::lock_guard lock(member->clique->mutex);
    if (member->clique->joined < member->clique->ranks || state().init_never_ends) *result = ncclInProgress;
  }
  if (member->polls_left > 0) {
    *result = ncclInProgress;
    if (--member->polls_left == 0 && member->after_polls) std::exchange(member->after_polls, nullptr)();
  }
  return ncclSuccess;
}

ncclResult_t finalize(ncclComm_t communicator) {
  const MemberPtr member = find(communicator);
  if (!member) return ncclInvalidArgument;
  member->polls_left = 2;
  return ncclInProgress;
}

ncclResult_t destroy(ncclComm_t communicator) {
  const MemberPtr member = remove(communicator);
  if (!member) return ncclInvalidArgument;
  if (member->polls_left > 0) ++state().wrong_uses;
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
