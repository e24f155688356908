#include <fmt/core.h>
#include <map>

#include "program/check/parts.h"
#include "program/happens_before.h"
#include "program/interval_map.h"

namespace ddlbench::program {
namespace {

/// The contents of a byte range, and the instructions that may still access it.
struct Cell {
  BufferId owner = none;        ///< the buffer whose contents these are; `none` if nothing is written here
  InstructionId writer = none;  ///< an instruction of the current section, or `none`
  InstructionId compute_reader = none;
  std::vector<InstructionId> other_readers;
  /// The body whose version of a ring this is, counted from 0; of what was written at the start: `none`.
  int version = none;
};

using Memory = IntervalMap<Cell>;

bool written_at_start(const Buffer& buffer) {
  return buffer.persistent &&
         (buffer.versions > 1 || buffer.memory_class == MemoryClass::parameters ||
          buffer.memory_class == MemoryClass::statistics || buffer.memory_class == MemoryClass::optimizer_state ||
          buffer.memory_class == MemoryClass::inputs);
}

/// Walks a program in issue order, with one map per physical memory: one for the arena and one for each version of each
/// persistent buffer. It is enough to check each access against the last write and the reads since then, because the
/// order is transitive.
class FlowCheck {
 public:
  FlowCheck(const Role& role, Mode mode, const Cadence& cadence, int rank, Report& report)
      : program_(program_of(role, mode)),
        mode_(mode),
        cadence_(cadence),
        rank_(rank),
        report_(report),
        used_(program_.buffers.size()) {}

  void run() {
    for (std::size_t b = 0; b < program_.buffers.size(); ++b) {
      const Buffer& buffer = program_.buffers[b];
      if (written_at_start(buffer))
        for (int slot = 0; slot < buffer.versions; ++slot)
          persistent_[{static_cast<BufferId>(b), slot}].assign(0, buffer.bytes,
                                                               Cell{static_cast<BufferId>(b), none, none, {}});
    }
    run_section(prologue_section);
    for (const int body : cadence_.fill) run_step(body);
    const Persistent before_others = persistent_;
    for (int body = 0; body < static_cast<int>(program_.bodies.size()); ++body) {
      if (!cadence_.repeats(body)) continue;
      persistent_ = before_others;  // a step may follow any other
      run_step(body);
      --bodies_;
    }
    report_unused_buffers();
  }

 private:
  using Persistent = std::map<std::pair<BufferId, int>, Memory>;  ///< by buffer and version

  struct Place {
    Memory* memory;
    std::int64_t begin;
    std::int64_t end;
  };

  const Instructions& section() const { return program::section(program_, section_); }
  const Buffer& buffer(BufferId id) const { return program_.buffers[static_cast<std::size_t>(id)]; }
  std::string where(InstructionId id) const { return describe(program_, {mode_, section_, id}); }
  void add(InstructionId id, const std::string& what) { report_.add(rank_, where(id), what); }

  Place place(const View& view) {
    const Buffer& b = buffer(view.buffer);
    Memory* memory = b.persistent ? &persistent_[{view.buffer, version_slot(b, view.age)}] : &arena_;
    const std::int64_t begin = view.offset + (b.persistent ? 0 : b.offset);
    return {memory, begin, begin + view.bytes};
  }

  std::string bytes_of(const View& view, const Place& place, std::int64_t begin, std::int64_t end) const {
    const std::int64_t base = place.begin - view.offset;
    return fmt::format("bytes {} to {} of '{}'", begin - base, end - base, buffer(view.buffer).name);
  }

  /// Any step may be the last one before the drain and the epilogue.
  void run_step(int body) {
    run_body(body);
    const std::vector<int>& drain = cadence_.drain_after(bodies_);
    if (program_.epilogue.empty() && drain.empty()) return;
    const Persistent after_body = persistent_;
    const int steps = bodies_;
    for (const int last : drain) run_body(last);
    run_section(epilogue_section(program_));
    persistent_ = after_body;
    bodies_ = steps;
  }

  void run_body(int body) {
    run_section(body_section(body));
    ++bodies_;
    for (std::size_t b = 0; b < program_.buffers.size(); ++b) {
      const Buffer& ring = program_.buffers[b];
      if (!ring.persistent || ring.versions == 1 || ring.memory_class == MemoryClass::inputs) continue;
      const auto id = static_cast<BufferId>(b);
      for (int slot = ring.versions - 1; slot > 0; --slot)
        std::swap(persistent_[{id, slot}], persistent_[{id, slot - 1}]);
    }
  }

  void run_section(int index) {
    section_ = index;
    begin_section();
    const HappensBefore order(section());
    order_ = &order;
    writes_.assign(section().size(), false);
    reads_of_.assign(section().size(), false);
    for (std::size_t i = 0; i < section().size(); ++i)
      for (const Access& access : accesses(program_, section()[i])) {
        used_[static_cast<std::size_t>(access.view.buffer)] = true;
        const auto id = static_cast<InstructionId>(i);
        access.writes ? write(id, access) : read(id, access.view);
      }
    if (is_body(program_, section_)) read_metrics();
    for (std::size_t i = 0; i < section().size(); ++i)
      if (writes_[i] && !reads_of_[i])
        add(static_cast<InstructionId>(i),
            "its outputs are never read, kept or communicated: use them, or remove the instruction");
  }

  /// Everything is complete at the end of a section, and the contents of transient buffers end with it.
  void begin_section() {
    arena_ = {};
    for (auto& [key, memory] : persistent_)
      memory.visit_all([](auto, auto, Cell& cell) { cell = Cell{cell.owner, none, none, {}, cell.version}; });
    if (!is_body(program_, section_)) return;
    for (const InputSlot& slot : program_.inputs) {
      const Place p = place(slot.operand.view);
      used_[static_cast<std::size_t>(slot.operand.view.buffer)] = true;
      p.memory->assign(p.begin, p.end, Cell{slot.operand.view.buffer, none, none, {}});
    }
  }

  void read(InstructionId id, const View& view) {
    const Place p = place(view);
    bool sound = true;
    p.memory->visit(p.begin, p.end, [&](std::int64_t begin, std::int64_t end, Cell& cell) {
      if (cell.writer != none && cell.writer != id) reads_of_[static_cast<std::size_t>(cell.writer)] = true;
      if (sound) sound = check_read(id, view, bytes_of(view, p, begin, end), cell);
      if (section()[static_cast<std::size_t>(id)].stream == graph::Stream::compute)
        cell.compute_reader = id;
      else
        cell.other_readers.push_back(id);
    });
  }

  bool check_read(InstructionId id, const View& view, const std::string& what, const Cell& cell) {
    if (cell.owner == none) {
      add(id, "reads " + what + " before they are written");
    } else if (cell.owner != view.buffer) {
      add(id, fmt::format("reads {}, but '{}' occupies that memory by then{}", what, buffer(cell.owner).name,
                          cell.writer == none ? "" : ", written by " + where(cell.writer)));
    } else if (cell.version < oldest_version_of(view) || cell.version > version_of(view)) {
      add(id, fmt::format("reads {} as {}, but finds {}", what, described(oldest_version_of(view)),
                          described(cell.version)));
    } else if (cell.writer != none && cell.writer != id && !order_->before(cell.writer, id)) {
      add(id, fmt::format("reads {} while {} may still be writing them: the two are not ordered", what,
                          where(cell.writer)));
    } else {
      return true;
    }
    return false;
  }

  void write(InstructionId id, const Access& access) {
    const Place p = place(access.view);
    const auto index = static_cast<std::size_t>(id);
    if (!access.scratch) writes_[index] = true;
    if (buffer(access.view.buffer).persistent) reads_of_[index] = true;
    bool sound = true;
    p.memory->visit(p.begin, p.end, [&](std::int64_t begin, std::int64_t end, Cell& cell) {
      if (sound) sound = check_write(id, bytes_of(access.view, p, begin, end), cell);
    });
    p.memory->assign(p.begin, p.end, Cell{access.view.buffer, id, none, {}, version_of(access.view)});
  }

  /// Returns the body that writes the version of a ring which the view means: the present one, or one before; `none` of
  /// other buffers.
  int version_of(const View& view) const {
    const Buffer& ring = buffer(view.buffer);
    if (!ring.persistent || ring.memory_class == MemoryClass::inputs) return none;
    if (ring.versions > 1) return std::max(none, bodies_ - 1 - view.age);
    return ring.memory_class == MemoryClass::activations ? bodies_ : none;
  }
  /// Returns the oldest version that a read of the view may find: where there is only one, it may be that of this step
  /// or of the one before.
  int oldest_version_of(const View& view) const {
    const int version = version_of(view);
    return version == none || buffer(view.buffer).versions > 1 ? version : version - 1;
  }
  std::string described(int version) const {
    if (version == none) return "the first version";
    return version == bodies_ ? "the version of this step"
                              : fmt::format("the version of {} steps before", bodies_ - version);
  }

  bool check_write(InstructionId id, const std::string& what, const Cell& cell) {
    const auto unordered = [&](InstructionId other) {
      return other != none && other != id && !order_->before(other, id);
    };
    const auto reject = [&](InstructionId other, const std::string& doing) {
      add(id,
          fmt::format("writes {} while {} may still be {} them: the two are not ordered", what, where(other), doing));
      return false;
    };
    if (unordered(cell.writer)) return reject(cell.writer, "writing");
    if (unordered(cell.compute_reader)) return reject(cell.compute_reader, "reading");
    for (InstructionId reader : cell.other_readers)
      if (unordered(reader)) return reject(reader, "reading");
    return true;
  }

  void read_metrics() {
    for (const MetricSlot& slot : program_.metrics) {
      used_[static_cast<std::size_t>(slot.view.buffer)] = true;
      const Place p = place(slot.view);
      bool sound = true;
      p.memory->visit(p.begin, p.end, [&](std::int64_t begin, std::int64_t end, Cell& cell) {
        if (cell.writer != none) reads_of_[static_cast<std::size_t>(cell.writer)] = true;
        if (!sound || cell.owner == slot.view.buffer) return;
        sound = false;
        report_.add(rank_, fmt::format("{}metric '{}'", mode_ == Mode::evaluate ? "evaluate " : "", slot.tensor),
                    bytes_of(slot.view, p, begin, end) + " are overwritten before the end of the step");
      });
    }
  }

  void report_unused_buffers() {
    for (std::size_t b = 0; b < used_.size(); ++b)
      if (!used_[b] && !program_.buffers[b].persistent && program_.buffers[b].bytes > 0)
        report_.add(
            rank_,
            fmt::format("{}buffer {} '{}'", mode_ == Mode::evaluate ? "evaluate " : "", b, program_.buffers[b].name),
            "is planned but unused");
  }

  const Program& program_;
  Mode mode_;
  const Cadence& cadence_;
  int rank_;
  Report& report_;
  int section_ = 0;
  int bodies_ = 0;  ///< that have run
  const HappensBefore* order_ = nullptr;
  Memory arena_;
  Persistent persistent_;
  std::vector<bool> used_;      ///< by buffer
  std::vector<bool> writes_;    ///< by instruction: it writes something other than scratch
  std::vector<bool> reads_of_;  ///< by instruction: part of its result is read or kept
};

}  // namespace

void check_memory(const Role& role, Mode mode, const Cadence& cadence, int rank, Report& report) {
  FlowCheck(role, mode, cadence, rank, report).run();
}

}  // namespace ddlbench::program
