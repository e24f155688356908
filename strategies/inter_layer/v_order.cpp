#include "strategies/inter_layer/v_order.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/error.h"
#include "strategies/inter_layer/fill_weights.h"

namespace ddlbench::strategies {
namespace {

constexpr int period = 6;  ///< units of a rank's work on a micro-batch

/// Units from a pass's work on its last rank to its next pass's work on the same rank.
struct Turns {
  int forward = 1;   ///< from chunk 0 to chunk 1 on the last rank
  int backward = 1;  ///< from forward to backward on the first rank
  int last = 1;      ///< from chunk 1 to chunk 0 on the last rank
};

/// When a rank begins its work on micro-batch 0.
struct Begins {
  std::array<int, 2> forward, input;  ///< by chunk
};

Begins begins_of(int rank, int last, const VPace& pace, const Turns& turns) {
  const int back = last - rank;
  const int turn = pace.forward_there * last + turns.forward;
  const int top = turn + pace.forward_back * last + turns.backward;
  const int end = top + pace.backward_there * last + turns.last;
  return {{pace.forward_there * rank, turn + pace.forward_back * back},
          {end + pace.backward_back * back, top + pace.backward_there * rank}};
}

/// Returns whether no rank begins two pieces of work at once, if micro-batches follow each other by the period.
bool fits(int ranks, const VPace& pace, const Turns& turns) {
  for (int rank = 0; rank < ranks; ++rank) {
    const Begins begins = begins_of(rank, ranks - 1, pace, turns);
    std::array<bool, period> taken{};
    for (const int time : {begins.forward[0], begins.forward[1], begins.input[0], begins.input[1]})
      if (std::exchange(taken[static_cast<std::size_t>(time % period)], true)) return false;
  }
  return true;
}

/// Returns the shortest turns that fit.
Turns turns_of(int ranks, const VPace& pace) {
  std::optional<Turns> shortest;
  const auto length = [](const Turns& turns) { return turns.forward + turns.backward + turns.last; };
  for (int forward = 1; forward <= period; ++forward)
    for (int backward = 1; backward <= period; ++backward)
      for (int last = 1; last <= period; ++last) {
        const Turns turns{forward, backward, last};
        if (fits(ranks, pace, turns) && (!shortest || length(turns) < length(*shortest))) shortest = turns;
      }
  require(shortest.has_value(), "no turns of a V-shaped pipeline of {} ranks fit its pace", ranks);
  return *shortest;
}

struct Timed {
  int time = 0;
  Work work;
};

std::vector<Work> order_of(const Begins& begins, int microbatches) {
  std::vector<Timed> all;
  for (int m = 0; m < microbatches; ++m)
    for (const int chunk : {0, 1}) {
      const auto c = static_cast<std::size_t>(chunk);
      all.push_back({period * m + begins.forward[c], {Work::Kind::forward, chunk, m}});
      all.push_back({period * m + begins.input[c], {Work::Kind::backward_input, chunk, m}});
    }
  std::sort(all.begin(), all.end(), [](const Timed& a, const Timed& b) { return a.time < b.time; });
  std::vector<Work> order;
  for (const Timed& timed : all) order.push_back(timed.work);
  return order;
}

}  // namespace

std::vector<std::vector<Work>> v_orders(const Pipeline& pipeline, const VPace& pace) {
  const Turns turns = turns_of(pipeline.ranks, pace);
  std::vector<std::vector<Work>> orders;
  int most_held = 0;
  for (int rank = 0; rank < pipeline.ranks; ++rank) {
    const Begins begins = begins_of(rank, pipeline.ranks - 1, pace, turns);
    orders.push_back(order_of(begins, pipeline.microbatches));
    int units = 0;  // that activations of micro-batch 0 are held, if each weight half waits for a period at most
    for (const std::size_t chunk : {0u, 1u}) units += begins.input[chunk] + 2 + period - begins.forward[chunk];
    most_held = std::max(most_held, (units + period - 1) / period);
  }
  return fill_weights(pipeline, orders, {most_held}).orders;
}

}  // namespace ddlbench::strategies
