#include "runtime/state.h"

#include <algorithm>

#include "graph/error.h"
#include "runtime/box.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

/// A part of a tensor and the rank that gives it.
struct Source {
  int rank = 0;
  HeldState held;
};

using Sources = std::map<std::string, std::vector<Source>>;

HeldState piece(const HeldState& held, graph::Extent elements) {
  HeldState result = held;
  result.elements = elements;
  result.view.offset += (elements.begin - held.elements.begin) * static_cast<std::int64_t>(sizeof(float));
  result.view.bytes = elements.size() * static_cast<std::int64_t>(sizeof(float));
  return result;
}

/// What of `held` nobody in the list gives yet. Ranks that cut the same box differently may overlap: a
/// parameter that is whole on each tensor-parallel rank, beside others that are not.
std::vector<HeldState> not_given(const HeldState& held, const std::vector<Source>& list) {
  std::vector<graph::Extent> left{held.elements};
  for (const Source& source : list) {
    if (source.held.shard->box != held.shard->box) continue;
    std::vector<graph::Extent> still;
    for (const graph::Extent& extent : left) {
      const graph::Extent before{extent.begin, std::min(extent.end, source.held.elements.begin)};
      const graph::Extent after{std::max(extent.begin, source.held.elements.end), extent.end};
      for (const graph::Extent& rest : {before, after})
        if (rest.begin < rest.end) still.push_back(rest);
    }
    left = std::move(still);
  }
  std::vector<HeldState> result;
  for (const graph::Extent& extent : left) result.push_back(piece(held, extent));
  return result;
}

Sources sources_of(const Plan& plan, MemoryClass memory_class) {
  Sources sources;
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    for (const HeldState& held : held_state(plan, rank)) {
      if (held.shard->memory_class != memory_class) continue;
      std::vector<Source>& list = sources[held.shard->tensor];
      for (const HeldState& rest : not_given(held, list)) list.push_back({rank, rest});
    }
  }
  return sources;
}

bool both_hold(const HeldState& a, const HeldState& b) {
  if (a.shard->box != b.shard->box) return overlap(a.shard->box, b.shard->box);
  return a.elements.begin < b.elements.end && b.elements.begin < a.elements.end;
}

void require_cover(const std::string& tensor, const std::vector<Source>& list) {
  const graph::TensorType& whole = list.front().held.shard->whole;
  std::int64_t covered = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const StateShard& shard = *list[i].held.shard;
    require(shard.whole == whole && inside(shard.box, whole.shape),
            "a shard of '" + tensor + "' does not fit the whole");
    covered += list[i].held.elements.size();
    for (std::size_t j = 0; j < i; ++j) {
      require(!both_hold(list[i].held, list[j].held), "shards of '" + tensor + "' overlap");
    }
  }
  require(covered == graph::elements(whole.shape), "shards of '" + tensor + "' leave elements out");
}

using Values = std::vector<float>;

void place(const HeldState& held, const Values& part, Values& whole) {
  const StateShard& shard = *held.shard;
  whole.resize(static_cast<std::size_t>(graph::elements(shard.whole.shape)));
  const auto copy = [&](std::int64_t to, std::int64_t from, std::int64_t count) {
    std::copy_n(part.begin() + from, count, whole.begin() + to);
  };
  for_each_run(shard.whole.shape, shard.box, held.elements, copy);
}

std::int64_t bytes_of(const Values& values) {
  return static_cast<std::int64_t>(values.size() * sizeof(float));
}

std::vector<HeldState> given_by(int rank, const Sources& sources) {
  std::vector<HeldState> given;
  for (const auto& [tensor, list] : sources) {
    for (const Source& source : list) {
      if (source.rank == rank) given.push_back(source.held);
    }
  }
  return given;
}

}  // namespace

Tensors gather(const Engine& engine, MemoryClass memory_class, comm::Communicator& communicator) {
  const Sources sources = sources_of(engine.plan(), memory_class);
  for (const auto& [tensor, list] : sources) require_cover(tensor, list);

  Tensors tensors;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    const std::vector<HeldState> given = given_by(rank, sources);
    const bool gives = communicator.rank() == rank;
    if (given.empty() || (!gives && communicator.rank() != 0)) continue;
    std::vector<Values> parts;
    for (const HeldState& held : given) {
      parts.emplace_back(static_cast<std::size_t>(held.elements.size()));
      if (gives) engine.read(held, parts.back().data());
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
    for (std::size_t i = 0; i < given.size(); ++i) place(given[i], parts[i], tensors[given[i].shard->tensor]);
  }
  return tensors;
}

}  // namespace ddlbench::runtime
