#include "strategies/inter_layer/list_schedule.h"

#include <optional>
#include <tuple>

#include "base/error.h"
#include "strategies/inter_layer/chain_times.h"

namespace ddlbench::strategies {
namespace {

/// One rank's next forward and backward of each chunk, as its order grows.
struct ListedRank {
  std::vector<Work> order;
  std::vector<int> forwards, backwards;  ///< by chunk: those that have run
  double free = 0;
};

class ListedOrders {
 public:
  ListedOrders(const Pipeline& pipeline, int most_in_flight)
      : pipeline_(pipeline), most_in_flight_(most_in_flight), times_(pipeline) {
    const std::vector<int> none(static_cast<std::size_t>(pipeline.chunks), 0);
    ranks_.assign(static_cast<std::size_t>(pipeline.ranks), {{}, none, none, 0});
    const int all = 2 * pipeline.stages() * pipeline.microbatches;
    for (int done = 0; done < all; ++done) begin_next();
  }

  std::vector<std::vector<Work>> take() && {
    std::vector<std::vector<Work>> orders;
    for (ListedRank& rank : ranks_) orders.push_back(std::move(rank.order));
    return orders;
  }

 private:
  void begin_next() {
    const auto key = [](double time, const Work& work) {
      return std::tuple(time, work.kind == Work::Kind::forward, work.microbatch, -work.chunk);
    };
    std::optional<Work> first;
    double when = 0;
    int where = 0;
    for (int rank = 0; rank < pipeline_.ranks; ++rank)
      for (const Work& work : candidates(rank)) {
        const auto time = times_.ready(work, rank, ranks_[static_cast<std::size_t>(rank)].free);
        if (!time || (first && key(when, *first) <= key(*time, work))) continue;
        first = work;
        when = *time;
        where = rank;
      }
    require(first.has_value(), "list schedule: no rank can begin work");
    ListedRank& rank = ranks_[static_cast<std::size_t>(where)];
    rank.free = times_.run(*first, where, when);
    rank.order.push_back(*first);
    ++(first->kind == Work::Kind::forward ? rank.forwards : rank.backwards)[static_cast<std::size_t>(first->chunk)];
  }

  std::vector<Work> candidates(int rank) const {
    const ListedRank& own = ranks_[static_cast<std::size_t>(rank)];
    const int in_flight = ranks_.front().forwards.front() - ranks_.front().backwards.front();
    std::vector<Work> found;
    for (int chunk = 0; chunk < pipeline_.chunks; ++chunk) {
      const int forward = own.forwards[static_cast<std::size_t>(chunk)];
      const int backward = own.backwards[static_cast<std::size_t>(chunk)];
      const bool enters = pipeline_.stage_of(chunk, rank) == 0;
      if (forward < pipeline_.microbatches && !(enters && in_flight >= most_in_flight_))
        found.push_back({Work::Kind::forward, chunk, forward});
      if (backward < forward) found.push_back({Work::Kind::backward, chunk, backward});
    }
    return found;
  }

  const Pipeline& pipeline_;
  int most_in_flight_;
  ChainTimes times_;
  std::vector<ListedRank> ranks_;
};

}  // namespace

std::vector<std::vector<Work>> list_schedule(const Pipeline& pipeline, int most_in_flight) {
  return ListedOrders(pipeline, most_in_flight).take();
}

}  // namespace ddlbench::strategies
