#include "bench/launcher/share.h"

#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "bench/case/gather.h"
#include "comm/communicator.h"
#include "comm/gloo/gloo.h"
#include "comm/mpi/mpi.h"
#include "comm/process_place.h"
#include "graph/dtype.h"

namespace ddlbench::bench {
namespace {

void with_all(const WaitLimits& limits, const auto& body) {
  const auto place = comm::process_place();
  require(place.has_value(), "only processes that a launcher started can share data");
  comm::WorldOptions options;
  options.timeout = limits.timeout;
  if (std::getenv(comm::gloo::rendezvous_variable) != nullptr) {
    require(!limits.arrival_timeout, "ranks that ddlbench itself started are waited for without a limit");
    return comm::gloo::launch(place->size, options, body);
  }
  if (limits.arrival_timeout) return comm::mpi::launch_within(*limits.arrival_timeout, place->size, options, body);
  comm::mpi::launch(place->size, options, body);
}

}  // namespace

std::string share(const std::string& text, const WaitLimits& limits) {
  std::string shared = text;
  with_all(limits, [&](comm::Communicator& communicator) {
    auto size = static_cast<std::int64_t>(text.size());
    comm::run(communicator.broadcast({&size, 1, graph::DType::i64, 0, "size of a request"}));
    shared.resize(static_cast<std::size_t>(size));
    comm::run(communicator.broadcast({shared.data(), size, graph::DType::u8, 0, "request"}));
  });
  return shared;
}

std::vector<int> share_all(int number, const WaitLimits& limits) {
  std::vector<int> numbers;
  with_all(limits, [&](comm::Communicator& communicator) {
    for (const std::vector<int>& one : all_gather<int>(communicator, {number})) numbers.push_back(one.at(0));
  });
  return numbers;
}

std::vector<std::string> share_all(const std::string& text, const WaitLimits& limits) {
  std::vector<std::string> texts;
  with_all(limits, [&](comm::Communicator& communicator) {
    for (const std::vector<char>& one : all_gather<char>(communicator, {text.begin(), text.end()}))
      texts.emplace_back(one.begin(), one.end());
  });
  return texts;
}

}  // namespace ddlbench::bench
