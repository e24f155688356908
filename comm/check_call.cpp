#include "comm/check_call.h"

#include <fmt/core.h>

#include "base/error.h"

namespace ddlbench::comm {

namespace {

void check_counts(const std::vector<std::int64_t>& counts, int size) {
  require(static_cast<int>(counts.size()) == size, "a collective needs one count for each member");
  for (const std::int64_t count : counts) require(count >= 0, "a collective has a negative count");
}

void check_member(int member, int size) {
  require(member >= 0 && member < size, "the group has no such member");
}

}  // namespace

void check_call(const Reduce& call) {
  require(call.count >= 0, "a collective has a negative count");
}

void check_call(const Parts& call, int size) {
  check_counts(call.counts, size);
}

void check_call(const Redistribute& call, int rank, int size) {
  check_counts(call.send_counts, size);
  check_counts(call.receive_counts, size);
  const auto own = static_cast<std::size_t>(rank);
  require(call.send_counts[own] == call.receive_counts[own],
          "an all-to-all sends and receives different counts for its own part");
  require(call.input != call.output || !call.input, "an all-to-all cannot be in place");
}

void check_call(const Broadcast& call, int size) {
  require(call.count >= 0, "a collective has a negative count");
  check_member(call.root, size);
}

void check_call(const std::vector<Outgoing>& sends, const std::vector<Incoming>& receives, int size) {
  for (const Outgoing& outgoing : sends) {
    check_member(outgoing.to, size);
    require(outgoing.bytes >= 0, "a message has a negative size");
  }
  for (const Incoming& incoming : receives) {
    check_member(incoming.from, size);
    require(incoming.bytes >= 0, "a message has a negative size");
  }
}

void require_algorithm(bool has, graph::Collective kind, collectives::Algorithm algorithm,
                       const std::string& transport) {
  if (has) return;
  throw InputError(
      fmt::format("transport {} does not provide {} with algorithm {} here; choose another one (devices/collectives)",
                  transport, graph::name(kind), algorithm.name()));
}

}  // namespace ddlbench::comm
