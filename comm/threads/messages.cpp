#include "comm/threads/messages.h"

#include <fmt/core.h>

namespace ddlbench::comm::threads {

namespace {

/// Up to this size, the later end transfers the bytes at once, which is cheaper than waking another thread.
constexpr std::int64_t eager_bytes = 32 * 1024;

class Message final : public Request {
 public:
  Message(World& world, int peer, std::string label) : world_(world), peer_(peer), label_(std::move(label)) {}
  ~Message() override { mailbox().cancel(posting); }

  void post(std::uint64_t sequence) override {
    posting.sequence = sequence;
    std::int64_t other_bytes = 0;
    switch (mailbox().post(posting, other_bytes)) {
      case Mailbox::Match::none:
        return;
      case Mailbox::Match::mismatch:
        return fail(other_bytes);
      case Mailbox::Match::found:
        break;
    }
    if (posting.bytes <= eager_bytes) mailbox().move(posting);
    world_.notify(posting.other());
  }

  bool test(std::int64_t limit) override {
    const Posting::State state = posting.state.load();
    if (state == Posting::State::done) return true;
    if (state != Posting::State::matched || posting.bytes > limit || !mailbox().move(posting)) return false;
    world_.notify(posting.other());
    return true;
  }

  std::int64_t arrived() const override { return posting.state.load() == Posting::State::done ? posting.bytes : 0; }
  std::int64_t bytes() const override { return posting.bytes; }
  int peer() const override { return peer_; }

  Posting posting;

 private:
  Mailbox& mailbox() { return world_.mailbox(posting.destination); }

  void fail(std::int64_t other_bytes) {
    const std::int64_t sent = posting.sends ? posting.bytes : other_bytes;
    const std::int64_t expected = posting.sends ? other_bytes : posting.bytes;
    const std::string what =
        fmt::format("rank {} sends {} bytes, rank {} expects {}", posting.source, sent, posting.destination, expected);
    world_.failure().raise(CommunicationError::Kind::mismatch, posting.source, label_, what);
  }

  World& world_;
  int peer_;
  std::string label_;
};

}  // namespace

std::unique_ptr<Request> Messages::send(int to, const void* data, std::int64_t bytes, const std::string& label) {
  auto message = std::make_unique<Message>(world_, to, label);
  message->posting.sends = true;
  message->posting.source = world_rank(rank_);
  message->posting.destination = world_rank(to);
  message->posting.group = group_->id;
  message->posting.bytes = bytes;
  message->posting.message = data;
  return message;
}

std::unique_ptr<Request> Messages::receive(int from, const ReceiveTarget& target, std::int64_t bytes,
                                           const std::string& label) {
  auto message = std::make_unique<Message>(world_, from, label);
  message->posting.source = world_rank(from);
  message->posting.destination = world_rank(rank_);
  message->posting.group = group_->id;
  message->posting.bytes = bytes;
  message->posting.target = target;
  return message;
}

int Messages::blame(std::uint64_t sequence, int member) const {
  if (const int stalled = world_.first_stalled(); stalled >= 0) return stalled;
  if (sequence == exchanges) return world_rank(member);
  for (int i = 0; i < size(); ++i) {
    const int candidate = (member + i) % size();
    if (group_->started[static_cast<std::size_t>(candidate)].load() <= sequence) return world_rank(candidate);
  }
  return world_rank(member);
}

}  // namespace ddlbench::comm::threads
