#include "simulator/collective_rounds.h"

#include "collectives/steps.h"
#include "graph/tensor.h"

#include "program/collective_steps.h"

namespace ddlbench::simulator {

void for_each_hop(const program::CollectiveCall& call, int members, const std::function<void(const Hop&)>& visit) {
  const program::CollectiveSteps steps(call, members);
  const auto element_bytes = static_cast<std::int64_t>(graph::size_of(call.input.type.dtype));
  for (int member = 0; member < members; ++member) {
    Hop hop{0, member, 0, 0};
    steps.emit(member, [&](const collectives::Step& step) {
      if (step.send) {
        hop.to = step.send->to;
        hop.bytes = step.send->from.count * element_bytes;
        visit(hop);
      }
      ++hop.round;
    });
  }
}

}  // namespace ddlbench::simulator
