#include "runtime/state.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "runtime/box.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

/// A part of a tensor, and the rank that provides it.
struct Source {
  int rank = 0;
  HeldState held;
};

/// Returns the parts of `held` that no rank in the list provides yet. Parts may overlap if ranks cut the same box
/// differently, for example if a parameter is whole on each tensor-parallel rank while others are not.
std::vector<HeldState> not_provided(const HeldState& held, const std::vector<Source>& list) {
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
            "a shard of '" + tensor + "' does not match the whole");
    covered += list[i].held.elements.size();
    for (std::size_t j = 0; j < i; ++j) {
      require(!both_hold(list[i].held, list[j].held), "shards of '" + tensor + "' overlap");
    }
  }
  require(covered == graph::elements(whole.shape), "shards of '" + tensor + "' do not cover all elements");
}

/// Returns the number of elements in `rows` positions of the outermost dimension.
std::int64_t elements_of_rows(const graph::Shape& whole, std::int64_t rows) {
  return graph::elements(whole) / whole.front() * rows;
}

/// Returns the elements of `held` in these positions of the outermost dimension. They are contiguous.
graph::Extent elements_in(const HeldState& held, const graph::Extent& rows) {
  const graph::Extent box = held.shard->box.front();
  std::int64_t row = 1;
  for (std::size_t i = 1; i < held.shard->box.size(); ++i) row *= held.shard->box[i].size();
  const std::int64_t begin = std::max((std::max(rows.begin, box.begin) - box.begin) * row, held.elements.begin);
  const std::int64_t end = std::min((std::min(rows.end, box.end) - box.begin) * row, held.elements.end);
  return {begin, std::max(begin, end)};
}

/// One part in transit. It is received in place if it is contiguous in the collected tensor, and into a buffer
/// otherwise.
class Part {
 public:
  /// `whole` is null on ranks that do not receive the tensor. It begins at element `offset` of the whole tensor.
  Part(HeldState held, float* whole, std::int64_t offset) : held_(std::move(held)), whole_(whole), offset_(offset) {
    const StateShard& shard = *held_.shard;
    int runs = 0;
    BoxRun first;
    for_each_run(shard.whole, shard.box, held_.elements, [&](const BoxRun& run) {
      if (runs++ == 0) first = run;
    });
    if (whole != nullptr && runs <= 1 && first.step == 1)
      data_ = whole + (first.whole - offset_);
    else
      data_ = (apart_ = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(held_.elements.size()))).get();
  }

  const HeldState& held() const { return held_; }
  float* data() const { return data_; }
  std::int64_t bytes() const { return held_.elements.size() * static_cast<std::int64_t>(sizeof(float)); }

  /// Copies the received values to their place.
  void place() const {
    if (whole_ == nullptr || apart_ == nullptr) return;
    const StateShard& shard = *held_.shard;
    for_each_run(shard.whole, shard.box, held_.elements, [this](const BoxRun& run) {
      float* const to = whole_ + (run.whole - offset_);
      for (std::int64_t i = 0; i < run.count; ++i) to[i * run.step] = data_[run.part + i];
    });
  }

 private:
  HeldState held_;
  float* whole_;
  std::int64_t offset_;
  std::unique_ptr<float[]> apart_;
  float* data_;
};

}  // namespace

struct Gatherer::Sources {
  std::map<std::string, std::vector<Source>> of;
  std::map<std::string, graph::TensorType> types;
};

Gatherer::Gatherer(const Engine& engine, const std::vector<MemoryClass>& classes, comm::Communicator& communicator,
                   bool means)
    : Gatherer(
          engine, classes, communicator,
          [&engine](const HeldState& held, float* to) {
            const BufferId buffer = held.shard->view.buffer;
            require(engine.role().train.buffers[static_cast<std::size_t>(buffer)].persistent,
                    "'" + held.shard->tensor + "' is not kept");
            engine.read(held, to);
          },
          means) {}

Gatherer::Gatherer(const Engine& engine, const std::vector<MemoryClass>& classes, comm::Communicator& communicator,
                   Read read, bool means)
    : communicator_(communicator), read_(std::move(read)), sources_(std::make_unique<Sources>()) {
  const Plan& plan = engine.plan();
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    for (const HeldState& held : held_state(plan, rank)) {
      if (std::find(classes.begin(), classes.end(), held.shard->memory_class) == classes.end()) continue;
      if (held.shard->copies == Copies::mean && !means) continue;
      std::vector<Source>& list = sources_->of[held.tensor()];
      for (const HeldState& rest : not_provided(held, list)) list.push_back({rank, rest});
    }
  }
  for (const auto& [tensor, list] : sources_->of) {
    require_cover(tensor, list);
    sources_->types[tensor] = list.front().held.shard->whole;
  }
}

Gatherer::~Gatherer() = default;

const std::map<std::string, graph::TensorType>& Gatherer::tensors() const {
  return sources_->types;
}

bool Gatherer::provides(const StateShard& shard) const {
  const auto list = sources_->of.find(shard.tensor);
  return list != sources_->of.end() && std::any_of(list->second.begin(), list->second.end(), [&](const Source& source) {
           return source.held.shard == &shard && source.rank == communicator_.rank();
         });
}

std::vector<float> Gatherer::collect(const std::string& tensor) const {
  return collect(tensor, {0, sources_->types.at(tensor).shape.front()});
}

std::vector<float> Gatherer::collect(const std::string& tensor, const graph::Extent& rows) const {
  const std::vector<Source>& list = sources_->of.at(tensor);
  const graph::Shape& shape = sources_->types.at(tensor).shape;
  require(rows.begin >= 0 && rows.begin <= rows.end && rows.end <= shape.front(),
          "elements beyond the end of '" + tensor + "' are collected");
  const std::int64_t offset = elements_of_rows(shape, rows.begin);
  const int own = communicator_.rank();
  std::vector<float> whole;
  if (own == 0) whole.resize(static_cast<std::size_t>(elements_of_rows(shape, rows.size())));
  std::vector<Part> parts;
  parts.reserve(list.size());
  std::vector<comm::Outgoing> sends;
  std::vector<comm::Incoming> receives;
  for (const auto& [rank, held] : list) {
    if (rank != own && own != 0) continue;
    const graph::Extent wanted = elements_in(held, rows);
    if (wanted.size() == 0) continue;
    const Part& part = parts.emplace_back(piece(held, wanted), own == 0 ? whole.data() : nullptr, offset);
    if (rank == own) read_(part.held(), part.data());
    if (rank == own && own != 0) sends.push_back({part.data(), part.bytes(), 0});
    if (rank != own) receives.push_back({part.data(), part.bytes(), rank});
  }
  if (!sends.empty() || !receives.empty()) {
    comm::run(communicator_.exchange(std::move(sends), std::move(receives), "gather " + tensor));
  }
  for (const Part& part : parts) part.place();
  return whole;
}

Tensors Gatherer::all() const {
  Tensors tensors;
  for (const auto& [tensor, type] : sources_->types) {
    std::vector<float> values = collect(tensor);
    if (communicator_.rank() == 0) tensors.emplace(tensor, std::move(values));
  }
  return tensors;
}

Tensors gather(const Engine& engine, MemoryClass memory_class, comm::Communicator& communicator) {
  return Gatherer(engine, {memory_class}, communicator).all();
}

}  // namespace ddlbench::runtime
