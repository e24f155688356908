// Schedules over a transport that can only copy, with all ranks in one thread.

#include <cstring>
#include <deque>
#include <map>
#include <numeric>

#include "catch.h"
#include "collectives/algorithm.h"
#include "comm/schedule.h"

using namespace ddlbench;
using namespace ddlbench::comm;
using collectives::Emit;

namespace {

/// Messages in transit, by sender and receiver.
using Wire = std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>>;

class CopiedRequest final : public Request {
 public:
  CopiedRequest(std::deque<std::vector<std::byte>>& queue, bool sends, const void* out, void* in, std::int64_t bytes,
                int peer)
      : queue_(queue), sends_(sends), out_(out), in_(in), bytes_(bytes), peer_(peer) {}
  void post(std::uint64_t) override {
    if (sends_) queue_.emplace_back(static_cast<const std::byte*>(out_), static_cast<const std::byte*>(out_) + bytes_);
  }
  bool test(std::int64_t) override {
    if (sends_) return true;
    if (queue_.empty()) return false;
    REQUIRE(static_cast<std::int64_t>(queue_.front().size()) == bytes_);
    if (bytes_ > 0) std::memcpy(in_, queue_.front().data(), static_cast<std::size_t>(bytes_));
    queue_.pop_front();
    return true;
  }
  std::int64_t arrived() const override { return 0; }
  std::int64_t bytes() const override { return bytes_; }
  int peer() const override { return peer_; }

 private:
  std::deque<std::vector<std::byte>>& queue_;
  bool sends_;
  const void* out_;
  void* in_;
  std::int64_t bytes_;
  int peer_;
};

class Copying final : public PointToPoint {
 public:
  Copying(Wire& wire, int rank, int size) : wire_(wire), rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::unique_ptr<Request> send(int to, const void* data, std::int64_t bytes, const std::string&) override {
    return std::make_unique<CopiedRequest>(wire_[{rank_, to}], true, data, nullptr, bytes, to);
  }
  std::unique_ptr<Request> receive(int from, const ReceiveTarget& target, std::int64_t bytes,
                                   const std::string&) override {
    REQUIRE(target.operand == nullptr);
    return std::make_unique<CopiedRequest>(wire_[{from, rank_}], false, nullptr, target.data, bytes, from);
  }
  bool reduces() const override { return false; }
  std::uint64_t next_collective() override { return 0; }
  int blame(std::uint64_t, int member) const override { return member; }

 private:
  Wire& wire_;
  int rank_;
  int size_;
};

struct Rank {
  std::unique_ptr<Copying> messages;
  SentCounters sent;
  std::vector<float> input, output;
  std::vector<std::byte> scratch;
  std::unique_ptr<Schedule> schedule;
};

void check_sum(int ranks, std::int64_t count, collectives::EmitSteps steps) {
  Wire wire;
  std::vector<Rank> all(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    Rank& rank = all[static_cast<std::size_t>(r)];
    rank.messages = std::make_unique<Copying>(wire, r, ranks);
    rank.input.resize(static_cast<std::size_t>(count));
    std::iota(rank.input.begin(), rank.input.end(), static_cast<float>(100 * r));
    rank.output.assign(rank.input.size(), -1);
    const collectives::StepList list = collectives::list_of([&](const Emit& emit) { steps({ranks, count}, r, emit); });
    rank.scratch.resize(static_cast<std::size_t>(scratch_bytes(list, graph::DType::f32, *rank.messages)));
    rank.schedule = std::make_unique<Schedule>(*rank.messages, rank.sent, Kind::all_reduce, "sum");
    rank.schedule->add(
        list, {rank.input.data(), rank.output.data(), rank.scratch.data(), graph::DType::f32, graph::Reduction::sum});
    rank.schedule->begin(0);
  }
  for (int sweep = 0; sweep < 4 * ranks + 4; ++sweep) {
    for (Rank& rank : all) rank.schedule->advance(1 << 20);
  }
  for (const Rank& rank : all) {
    REQUIRE(rank.schedule->done());
    for (std::size_t i = 0; i < rank.output.size(); ++i) {
      REQUIRE(rank.output[i] == static_cast<float>(ranks * static_cast<int>(i) + 50 * ranks * (ranks - 1)));
    }
  }
}

}  // namespace

TEST_CASE("messages of a transport that cannot reduce are reduced from scratch memory") {
  for (int ranks = 1; ranks <= 7; ++ranks) {
    for (const std::int64_t count : {0, 1, 5, 64}) {
      for (const collectives::Algorithm algorithm : collectives::algorithms(graph::Collective::all_reduce))
        check_sum(ranks, count, algorithm.steps(graph::Collective::all_reduce));
    }
  }
}

TEST_CASE("a schedule reports deferred work beyond its limit and the rank that it waits for") {
  Wire wire;
  Copying first(wire, 0, 2), second(wire, 1, 2);
  SentCounters sent;
  std::vector<float> out(100, 3), in(100, 0);
  Schedule sender(first, sent, Kind::send, "out");
  sender.add({{out.data(), 400, 1}}, {});
  Schedule receiver(second, sent, Kind::send, "in");
  receiver.add({}, {{in.data(), 400, 0}});
  receiver.begin(0);
  receiver.advance(1000);
  CHECK(!receiver.done());
  CHECK(receiver.waiting_for() == 0);
  sender.begin(0);
  sender.advance(1000);
  receiver.advance(1000);
  CHECK(sender.done());
  CHECK(receiver.done());
  CHECK(in == out);
  CHECK(sent.snapshot() == SentBytes{{"send", 400}});

  Schedule copy(first, sent, Kind::all_gather, "copy");
  const collectives::EmitSteps gather = collectives::Algorithm().steps(graph::Collective::all_gather);
  copy.add(collectives::list_of([&](const Emit& emit) {
             gather({1, 100}, 0, emit);
           }),
           {out.data(), in.data(), nullptr, graph::DType::f32, {}});
  in.assign(100, 0);
  copy.begin(0);
  CHECK(copy.advance(399).deferred);
  CHECK(!copy.done());
  CHECK(!copy.advance(400).deferred);
  CHECK(in == out);
}
