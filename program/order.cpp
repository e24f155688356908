#include <algorithm>
#include <map>

#include "base/error.h"
#include "program/interval_map.h"
#include "program/passes.h"

namespace ddlbench::program {
namespace {

/// The accesses to a byte range that matter for later ones. All earlier accesses are ordered through these.
struct LastAccesses {
  InstructionId writer = none;
  InstructionId compute_reader = none;       ///< since the write; the compute stream orders the earlier ones
  std::vector<InstructionId> other_readers;  ///< since the write, in streams that imply no order
};

/// Finds the hazards of one section in issue order. Takes O(n log n) time for n accesses.
class HazardFinder {
 public:
  HazardFinder(const Program& program, std::vector<Instruction>& section) : program_(program), section_(section) {}

  void run() {
    for (std::size_t i = 0; i < section_.size(); ++i) visit(static_cast<InstructionId>(i));
  }

 private:
  void visit(InstructionId id) {
    found_.clear();
    for (const Access& access : accesses(program_, at(id))) {
      auto& memory = memory_of(access.view);
      const std::int64_t begin = access.view.offset, end = begin + access.view.bytes;
      if (access.writes) {
        memory.visit(begin, end, [&](auto, auto, LastAccesses& last) { note_write(last); });
        memory.assign(begin, end, LastAccesses{id, none, {}});
      } else {
        memory.visit(begin, end, [&](auto, auto, LastAccesses& last) { note_read(last, id); });
      }
    }
    store(id);
  }

  void note_read(LastAccesses& last, InstructionId id) {
    found_.push_back(last.writer);
    if (at(id).stream == graph::Stream::compute)
      last.compute_reader = id;
    else if (last.other_readers.empty() || last.other_readers.back() != id)
      last.other_readers.push_back(id);
  }

  /// A reader since the write is itself ordered after the writer.
  void note_write(const LastAccesses& last) {
    if (last.compute_reader == none && last.other_readers.empty()) found_.push_back(last.writer);
    found_.push_back(last.compute_reader);
    found_.insert(found_.end(), last.other_readers.begin(), last.other_readers.end());
  }

  void store(InstructionId id) {
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    const bool on_compute = at(id).stream == graph::Stream::compute;
    InstructionId last_compute = none;
    for (InstructionId f : found_)
      if (f != none && f != id && at(f).stream == graph::Stream::compute) last_compute = f;
    std::vector<Dependency>& after = at(id).after;
    after.clear();
    for (InstructionId f : found_) {
      if (f == none || f == id) continue;
      if (at(f).stream == graph::Stream::compute && (on_compute || f != last_compute)) continue;
      after.push_back({f, 0});
    }
  }

  IntervalMap<LastAccesses>& memory_of(const View& view) {
    require(view.buffer >= 0 && static_cast<std::size_t>(view.buffer) < program_.buffers.size(),
            "an instruction refers to a buffer that its program lacks");
    return memory_[{view.buffer, version_slot(program_.buffers[static_cast<std::size_t>(view.buffer)], view.age)}];
  }

  Instruction& at(InstructionId id) { return section_[static_cast<std::size_t>(id)]; }

  const Program& program_;
  std::vector<Instruction>& section_;
  std::map<std::pair<BufferId, int>, IntervalMap<LastAccesses>> memory_;
  std::vector<InstructionId> found_;
};

}  // namespace

void order(Program& program) {
  for (auto* section : sections(program)) HazardFinder(program, *section).run();
}

}  // namespace ddlbench::program
