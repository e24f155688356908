#include <algorithm>
#include <optional>

#include "base/error.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/checkpoint/contents.h"
#include "runtime/checkpoint/throw_on_all.h"
#include "runtime/state.h"

namespace ddlbench::runtime {
namespace {

/// A tensor of a file, the state of the plan that it stores, and its layout in the file. Without `state` it is a batch
/// count.
struct Entry {
  StoredTensor stored;
  std::string state = {};
  graph::Shape shape = {};
  graph::FileLayout layout = {};
};

/// Orders the widest types first, so that each tensor is aligned; then by name.
std::vector<Entry> entries_of(const std::map<std::string, StoredState>& contents, const graph::FileNames& names) {
  std::vector<Entry> entries;
  for (const auto& [tensor, kept] : contents) {
    const auto& [state, type, memory_class] = kept;
    const graph::FileTensor named = names.of(tensor);
    const graph::Shape shape = graph::file_shape(named.layout, type.shape);
    entries.push_back({{named.name, stored_type(type.dtype), shape}, state, type.shape, named.layout});
    // Without it, torchvision rejects a layer with running statistics if strict=True.
    if (const std::string& name = named.name; name.ends_with(running_mean)) {
      const std::string layer = name.substr(0, name.size() - std::string(running_mean).size());
      entries.push_back({{layer + batches_tracked, "I64", {}}});
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    const std::int64_t wide = bytes_of_stored_type(a.stored.dtype), other = bytes_of_stored_type(b.stored.dtype);
    return wide != other ? wide > other : a.stored.name < b.stored.name;
  });
  return entries;
}

/// A file being written on rank 0, and on the other ranks the parts that they send.
class Saving {
 public:
  Saving(Engine& engine, File file, comm::Communicator& communicator, const graph::FileNames& names)
      : communicator_(communicator) {
    const std::map<std::string, StoredState> contents = contents_of(engine.plan(), file);
    std::vector<program::MemoryClass> classes;
    for (const auto& [tensor, kept] : contents) classes.push_back(kept.memory_class);
    gatherer_.emplace(engine, classes, communicator, true);
    entries_ = entries_of(contents, names);
  }

  void write(const std::string& path, Metadata metadata, std::int64_t step, const std::function<void()>& alive) {
    on_first([&] {
      SafetensorsHeader header{std::move(metadata), {}};
      for (const Entry& entry : entries_) header.tensors.push_back(entry.stored);
      writer_.emplace(path, std::move(header));
    });
    for (const Entry& entry : entries_) {
      if (entry.state.empty()) {
        on_first([&] { writer_->write(&step, 1); });
      } else {
        write(entry, alive);
      }
    }
    on_first([&] { writer_->finish(); });
  }

  void commit() {
    on_first([&] { writer_->commit(); });
  }

  /// Returns the digest of the written tensors; empty on other ranks.
  std::string digest() const { return writer_ ? writer_->digest() : ""; }

 private:
  /// Writes slices of the outermost dimension, or the whole tensor if the file has another layout.
  void write(const Entry& entry, const std::function<void()>& alive) {
    constexpr std::int64_t slice_elements = 4 << 20;
    const std::int64_t rows = entry.shape.front();
    const std::int64_t row_elements =
        std::max<std::int64_t>(1, graph::elements(entry.shape) / std::max<std::int64_t>(1, rows));
    const std::int64_t at_once =
        entry.layout.is_plain() ? std::max<std::int64_t>(1, slice_elements / row_elements) : rows;
    for (std::int64_t begin = 0; begin < rows; begin += at_once) {
      std::vector<float> values = gatherer_->collect(entry.state, {begin, std::min(begin + at_once, rows)});
      on_first([&] {
        if (!entry.layout.is_plain()) values = graph::to_file(entry.layout, entry.shape, values);
        writer_->write(values.data(), static_cast<std::int64_t>(values.size()));
        if (alive) alive();
      });
    }
  }

  void on_first(const std::function<void()>& attempt) {
    throw_on_all(communicator_, [&] {
      if (communicator_.rank() == 0) attempt();
    });
  }

  comm::Communicator& communicator_;
  std::optional<Gatherer> gatherer_;
  std::vector<Entry> entries_;
  std::optional<SafetensorsWriter> writer_;
};

}  // namespace

void save(Engine& engine, comm::Communicator& communicator, const std::string& path, const Origin& origin,
          const graph::FileNames& names, const std::function<void()>& alive, Part part) {
  engine.begin(Mode::evaluate);  // computes the means of weights of which every rank has its own
  engine.drain(Mode::evaluate);
  Saving weights(engine, File::weights, communicator, names);
  Metadata metadata = to_metadata(origin);
  metadata[SafetensorsWriter::digest_key] = "";
  weights.write(path, std::move(metadata), origin.step, alive);
  if (part == Part::weights) return weights.commit();

  Saving state(engine, File::state, communicator, names);
  metadata = to_metadata(origin);
  metadata.merge(progress_to_metadata(origin));
  metadata[weights_digest_key] = weights.digest();
  metadata[SafetensorsWriter::digest_key] = "";
  state.write(state_path(path), std::move(metadata), origin.step, alive);
  state.commit();
  weights.commit();
}

}  // namespace ddlbench::runtime
