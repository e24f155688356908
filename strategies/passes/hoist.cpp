#include "strategies/passes/hoist.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "program/actions.h"

namespace ddlbench::strategies {

using program::Access;
using program::Instruction;

namespace {

class Hoister {
 public:
  explicit Hoister(program::Program& program) : program_(program) {
    for (Instruction& instruction : program.bodies.front()) {
      std::vector<Access> accesses = program::accesses(program, instruction);
      moved_.push_back({std::move(instruction), std::move(accesses)});
    }
  }

  void run() {
    for (auto update = moved_.begin(); update != moved_.end(); ++update) {
      if (update->instruction.phase != program::Phase::optimizer || communicates(*update)) continue;
      std::rotate(place_of(update), update, update + 1);
    }
    std::transform(moved_.begin(), moved_.end(), program_.bodies.front().begin(),
                   [](Accessing& accessing) { return std::move(accessing.instruction); });
  }

 private:
  struct Accessing {
    Instruction instruction;
    std::vector<Access> accesses;
  };
  using Place = std::vector<Accessing>::iterator;

  static bool communicates(const Accessing& accessing) { return program::is_communication(accessing.instruction); }

  const program::Buffer& buffer_of(const program::View& view) const {
    return program_.buffers[static_cast<std::size_t>(view.buffer)];
  }

  bool overlap(const program::View& a, const program::View& b) const {
    return a.buffer == b.buffer && version_slot(buffer_of(a), a.age) == version_slot(buffer_of(b), b.age) &&
           a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
  }

  bool depends(const Accessing& later, const Accessing& earlier) const {
    for (const Access& a : later.accesses)
      for (const Access& b : earlier.accesses)
        if ((a.writes || b.writes) && overlap(a.view, b.view)) return true;
    return false;
  }

  bool sums_gradients(const Accessing& accessing) const {
    return communicates(accessing) &&
           std::any_of(accessing.accesses.begin(), accessing.accesses.end(), [this](const Access& access) {
             return access.writes && buffer_of(access.view).memory_class == program::MemoryClass::gradients;
           });
  }

  Place place_of(Place update) {
    const auto is_needed = [&](const Accessing& earlier) { return depends(*update, earlier); };
    const auto last_needed = std::find_if(std::reverse_iterator(update), moved_.rend(), is_needed).base();
    const auto sum = std::find_if(std::reverse_iterator(last_needed), moved_.rend(), [&](const Accessing& earlier) {
      return sums_gradients(earlier) && is_needed(earlier);
    });
    if (sum == moved_.rend()) return last_needed;
    const Place next_sum =
        std::find_if(sum.base(), update, [this](const Accessing& later) { return sums_gradients(later); });
    return next_sum == update ? update : std::max(last_needed, next_sum + 1);
  }

  program::Program& program_;
  std::vector<Accessing> moved_;
};

}  // namespace

void hoist_updates(program::Program& program) {
  Hoister(program).run();
}

}  // namespace ddlbench::strategies
