#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/error.h"
#include "runtime/box.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/checkpoint/contents.h"
#include "runtime/checkpoint/throw_on_all.h"

namespace ddlbench::runtime {
namespace {

using program::HeldState;

TensorTypes types_of(const program::Plan& plan, File file) {
  TensorTypes types;
  for (const auto& [tensor, kept] : contents_of(plan, file)) types[tensor] = kept.type;
  return types;
}

/// Throws InputError unless the file has the states of strategies that the plan needs, and no others.
void require_strategy_states(const SafetensorsReader& file, const TensorTypes& wanted, const graph::FileNames& names) {
  std::set<std::string> in_plan, in_file;
  for (const auto& [tensor, type] : wanted)
    if (program::is_strategy_state(tensor)) in_plan.insert(names.of(tensor).name);
  for (const StoredTensor& stored : file.tensors())
    if (program::is_strategy_state(stored.name)) in_file.insert(stored.name);
  if (in_plan == in_file) return;
  const auto what = [](const std::set<std::string>& states) {
    return states.empty() ? std::string("none") : fmt::format("{}, up to {}", states.size(), shown(*states.rbegin()));
  };
  throw InputError(
      fmt::format("{}: the states that belong to the strategy are not those of this case: the file has {}; the "
                  "case needs {}; resume with the strategy and the number of ranks that wrote the file",
                  file.path(), what(in_file), what(in_plan)));
}

/// A file, and the state of the plan that it contains.
class Source {
 public:
  Source(const program::Plan& plan, File which, const std::string& path, const graph::FileNames& names)
      : which_(which), file_(path) {
    const TensorTypes wanted = types_of(plan, which);
    require_strategy_states(file_, wanted, names);
    matches_ = match(file_, wanted, names);
  }

  void require_undamaged() const { file_.require_undamaged(); }

  /// `starts`: weights of which every rank has its own all begin with those of the file.
  void read_into(Engine& engine, int rank, bool starts) {
    std::vector<float> values;
    for (const HeldState& held : program::held_state(engine.plan(), rank)) {
      const std::optional<Content> content = content_of(held, starts);
      if (!content || content->file != which_) continue;
      values.resize(static_cast<std::size_t>(held.elements.size()));
      const Match& found = matches_.at(content->tensor);
      read(held, found, values.data());
      require_finite(values, found);
      engine.write(held, values.data());
    }
  }

 private:
  void read(const HeldState& held, const Match& found, float* values) {
    const program::StateShard& shard = *held.shard;
    const bool in_stretches = found.layout.is_plain() && shard.whole.channel_block == 1;
    if (!in_stretches) keep_whole(shard, found);
    for_each_run(shard.whole, shard.box, held.elements, [&](const BoxRun& run) {
      if (in_stretches) return file_.read(found.stored, run.whole, run.count, values + run.part);
      for (std::int64_t i = 0; i < run.count; ++i)
        values[run.part + i] = whole_[static_cast<std::size_t>(run.whole + i * run.step)];
    });
  }

  void require_finite(const std::vector<float>& values, const Match& found) const {
    if (std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); })) return;
    throw InputError(
        fmt::format("{}: the tensor {} contains infinity or NaN; use another file", file_.path(), found.stored.name));
  }

  void keep_whole(const program::StateShard& shard, const Match& found) {
    if (whole_is_of_ == found.stored.name) return;
    whole_.resize(static_cast<std::size_t>(graph::elements(shard.whole.shape)));
    file_.read(found.stored, 0, static_cast<std::int64_t>(whole_.size()), whole_.data());
    whole_ = graph::from_file(found.layout, shard.whole.shape, whole_);
    whole_is_of_ = found.stored.name;
  }

  File which_;
  SafetensorsReader file_;
  std::map<std::string, Match> matches_;
  std::vector<float> whole_;  ///< a tensor whose layout differs in the file or on the device, row-major in our order
  std::string whole_is_of_;   ///< name of that tensor in the file
};

}  // namespace

void load(Engine& engine, comm::Communicator& communicator, const std::string& path, Part part,
          const graph::FileNames& names, Digests digests) {
  std::optional<Source> weights, state;
  throw_on_all(communicator, [&] {
    weights.emplace(engine.plan(), File::weights, path, names);
    if (part != Part::everything) return;
    origin_of(path);  // throws unless both files belong to one checkpoint
    state.emplace(engine.plan(), File::state, state_path(path), names);
  });
  if (digests == Digests::checked) {
    throw_on_all(communicator, [&] {
      if (communicator.rank() != 0) return;
      weights->require_undamaged();
      if (state) state->require_undamaged();
    });
  }
  throw_on_all(communicator, [&] {
    weights->read_into(engine, communicator.rank(), part == Part::weights);
    if (state) state->read_into(engine, communicator.rank(), false);
  });
}

}  // namespace ddlbench::runtime
