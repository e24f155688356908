#include "comm/nccl/bootstrap.h"

#include <fmt/core.h>
#include <map>
#include <numeric>
#include <vector>

#include "base/error.h"

namespace ddlbench::comm::nccl {

namespace {

/// Returns the texts of all ranks.
std::vector<std::string> gather(Communicator& control, const std::string& own) {
  const auto ranks = static_cast<std::size_t>(control.size());
  const auto length = static_cast<std::int64_t>(own.size());
  std::vector<std::int64_t> lengths(ranks);
  const std::vector<std::int64_t> ones(ranks, 1);
  run(control.all_gather({&length, lengths.data(), ones, graph::DType::i64, {}, nullptr, "nccl bootstrap"}));
  std::string all(static_cast<std::size_t>(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0})), ' ');
  run(control.all_gather({own.data(), all.data(), lengths, graph::DType::u8, {}, nullptr, "nccl bootstrap"}));
  std::vector<std::string> said;
  std::size_t offset = 0;
  for (const std::int64_t count : lengths) {
    said.push_back(all.substr(offset, static_cast<std::size_t>(count)));
    offset += static_cast<std::size_t>(count);
  }
  return said;
}

}  // namespace

void reject_shared_gpus(Communicator& control, const std::string& gpu) {
  const std::vector<std::string> gpus = gather(control, gpu);
  std::map<std::string, std::size_t> first;
  for (std::size_t rank = 0; rank < gpus.size(); ++rank) {
    if (gpus[rank].empty()) continue;
    const auto [entry, fresh] = first.emplace(gpus[rank], rank);
    if (fresh) continue;
    throw InputError(
        fmt::format("transport nccl: ranks {} and {} both use GPU {}, but NCCL allows one rank per GPU: use fewer "
                    "ranks, or the transport threads or mpi (devices/transport)",
                    entry->second, rank, gpus[rank]));
  }
}

void init(Rank& rank, Handle& handle, Communicator& control) {
  const std::string label = "nccl bootstrap";
  ncclUniqueId id{};
  if (control.rank() == 0) rank.check_result(rank.api().get_unique_id(&id), "ncclGetUniqueId", nullptr, label);
  run(control.broadcast({id.internal, sizeof id.internal, graph::DType::u8, 0, label}));
  rank.init(handle, control.size(), id, control.rank(), label);
}

}  // namespace ddlbench::comm::nccl
