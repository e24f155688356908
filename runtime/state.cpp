#include "runtime/state.h"

#include <algorithm>

#include "graph/error.h"
#include "runtime/box.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

/// A box of a tensor and the rank that gives it.
struct Source {
  int rank = 0;
  const StateShard* shard = nullptr;
};

using Sources = std::map<std::string, std::vector<Source>>;

Sources sources_of(const Plan& plan, MemoryClass memory_class) {
  Sources sources;
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    for (const StateShard& shard : plan.role(rank).state) {
      if (shard.memory_class != memory_class) continue;
      std::vector<Source>& list = sources[shard.tensor];
      const bool replica =
          std::any_of(list.begin(), list.end(), [&](const Source& s) { return s.shard->box == shard.box; });
      if (!replica) list.push_back({rank, &shard});
    }
  }
  return sources;
}

void require_cover(const std::string& tensor, const std::vector<Source>& list) {
  const graph::TensorType& whole = list.front().shard->whole;
  std::int64_t covered = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const StateShard& shard = *list[i].shard;
    require(shard.whole == whole && inside(shard.box, whole.shape),
            "a shard of '" + tensor + "' does not fit the whole");
    covered += elements(shard.box);
    for (std::size_t j = 0; j < i; ++j) {
      require(!overlap(shard.box, list[j].shard->box), "shards of '" + tensor + "' overlap");
    }
  }
  require(covered == graph::elements(whole.shape), "shards of '" + tensor + "' leave elements out");
}

using Values = std::vector<float>;

void place(const StateShard& shard, const Values& part, Values& whole) {
  whole.resize(static_cast<std::size_t>(graph::elements(shard.whole.shape)));
  for_each_run(shard.whole.shape, shard.box, [&](std::int64_t to, std::int64_t from, std::int64_t count) {
    std::copy_n(part.begin() + from, count, whole.begin() + to);
  });
}

Values room_for(const StateShard& shard) {
  return Values(static_cast<std::size_t>(elements(shard.box)));
}

std::int64_t bytes_of(const Values& values) {
  return static_cast<std::int64_t>(values.size() * sizeof(float));
}

std::vector<const StateShard*> given_by(int rank, const Sources& sources) {
  std::vector<const StateShard*> shards;
  for (const auto& [tensor, list] : sources) {
    for (const Source& source : list) {
      if (source.rank == rank) shards.push_back(source.shard);
    }
  }
  return shards;
}

}  // namespace

Tensors gather(const Engine& engine, MemoryClass memory_class, comm::Communicator& communicator) {
  const Sources sources = sources_of(engine.plan(), memory_class);
  for (const auto& [tensor, list] : sources) require_cover(tensor, list);

  Tensors tensors;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    const std::vector<const StateShard*> shards = given_by(rank, sources);
    const bool gives = communicator.rank() == rank;
    if (shards.empty() || (!gives && communicator.rank() != 0)) continue;
    std::vector<Values> parts;
    for (const StateShard* shard : shards) {
      parts.push_back(room_for(*shard));
      if (gives) engine.read(*shard, parts.back().data());
    }
    if (rank != 0) {
      std::vector<comm::Outgoing> sends;
      std::vector<comm::Incoming> receives;
      for (Values& part : parts) {
        if (gives) sends.push_back({part.data(), bytes_of(part), 0});
        if (!gives) receives.push_back({part.data(), bytes_of(part), rank});
      }
      comm::run(communicator.exchange(std::move(sends), std::move(receives), "gather state"));
    }
    if (communicator.rank() != 0) continue;
    for (std::size_t i = 0; i < shards.size(); ++i) place(*shards[i], parts[i], tensors[shards[i]->tensor]);
  }
  return tensors;
}

}  // namespace ddlbench::runtime
