#include "random_program.h"

#include <random>

#include "builder.h"

namespace ddlbench::test {

using namespace program;

namespace {

class Generator {
 public:
  Generator(unsigned seed, int instructions) : random_(seed) {
    flat_ = builder_.persistent("flat", 1000);
    gradients_ = builder_.persistent("gradients", 1000, MemoryClass::gradients);
    builder_.compute("zero", {}, {{gradients_}});
    for (int i = 1; i < instructions - 1; ++i) step(i);
    builder_.compute("end", {{gradients_}}, {{flat_}});
  }

  Program result() && {
    order(builder_.program);
    return std::move(builder_.program);
  }

 private:
  int draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  BufferId fresh(int i) {
    const BufferId buffer = builder_.transient("t" + std::to_string(i), 1 + draw(300));
    live_.push_back(buffer);
    if (live_.size() > 12) live_.erase(live_.begin() + draw(12));
    return buffer;
  }

  BufferId some(int i) {
    return live_.empty() ? fresh_written(i) : live_[static_cast<std::size_t>(draw(static_cast<int>(live_.size())))];
  }

  BufferId fresh_written(int i) {
    const BufferId buffer = fresh(i);
    builder_.receive("first", {buffer}, 1, 0);
    return buffer;
  }

  Range part(BufferId buffer) {
    const int first = draw(900);
    return {buffer, first, 1 + draw(100)};
  }

  void step(int i) {
    const std::string name = std::to_string(i);
    switch (draw(8)) {
      case 0:
        builder_.receive(name, {fresh(i)}, 1, i);
        break;
      case 1:
        builder_.send(name, {some(i)}, 1, i);
        break;
      case 2:
        builder_.all_reduce(name, {some(i)});
        break;
      case 3:
        builder_.all_reduce(name, part(gradients_));
        break;
      case 4:
        builder_.accumulate(name, {{some(i)}}, {part(gradients_)});
        break;
      default: {
        const Range input{some(i)};
        builder_.compute(name, {input, part(flat_)}, {{fresh(i)}});
      }
    }
  }

  std::mt19937 random_;
  Builder builder_;
  BufferId flat_ = none, gradients_ = none;
  std::vector<BufferId> live_;
};

}  // namespace

Program random_program(unsigned seed, int instructions) {
  return Generator(seed, instructions).result();
}

bool conflict(const Program& program, const Instruction& a, const Instruction& b) {
  for (const Access& x : accesses(program, a))
    for (const Access& y : accesses(program, b))
      if ((x.writes || y.writes) && x.view.buffer == y.view.buffer && x.view.offset < y.view.offset + y.view.bytes &&
          y.view.offset < x.view.offset + x.view.bytes)
        return true;
  return false;
}

}  // namespace ddlbench::test
