#include "runtime/checkpoint/throw_on_all.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"

namespace ddlbench::runtime {

void throw_on_all(comm::Communicator& communicator, const std::function<void()>& attempt) {
  std::string error;
  bool failed = false;
  try {
    attempt();
  } catch (const InputError& caught) {
    error = caught.what();
    failed = true;
  }
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const std::int64_t own = failed ? static_cast<std::int64_t>(error.size()) : -1;
  std::vector<std::int64_t> lengths(ranks);
  comm::Parts parts;
  parts.input = &own;
  parts.output = lengths.data();
  parts.counts.assign(ranks, 1);
  parts.dtype = graph::DType::i64;
  parts.label = "whether all ranks go on";
  comm::run(communicator.all_gather(parts));

  const auto first = std::find_if(lengths.begin(), lengths.end(), [](std::int64_t length) { return length >= 0; });
  if (first == lengths.end()) return;
  error.resize(static_cast<std::size_t>(*first));
  comm::Broadcast broadcast;
  broadcast.data = error.data();
  broadcast.count = *first;
  broadcast.dtype = graph::DType::u8;
  broadcast.root = static_cast<int>(first - lengths.begin());
  broadcast.label = "why they do not";
  comm::run(communicator.broadcast(broadcast));
  throw InputError(error);
}

}  // namespace ddlbench::runtime
