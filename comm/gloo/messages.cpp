#include "comm/gloo/messages.h"

#include <cstring>

#include "base/error.h"

namespace ddlbench::comm::gloo {

namespace {

class GlooSend final : public Request {
 public:
  GlooSend(World& world, const Group& group, int to, const void* data, std::int64_t bytes)
      : connection_(world.session().connection(group.members[static_cast<std::size_t>(to)])), peer_(to) {
    shipment_.frame.type = Frame::Type::data;
    shipment_.frame.launch = world.launch();
    shipment_.frame.group = group.id;
    shipment_.frame.bytes = bytes;
    shipment_.data = static_cast<const std::byte*>(data);
    if (bytes <= inline_bytes) return;
    // gloo's buffers serve both directions; one that is sent is not written to.
    shipment_.buffer =
        world.session().context()->createUnboundBuffer(const_cast<void*>(data), static_cast<std::size_t>(bytes));
  }
  ~GlooSend() override { connection_.cancel(shipment_); }

  void post(std::uint64_t sequence) override {
    shipment_.frame.sequence = sequence;
    connection_.post(shipment_);
  }
  bool test(std::int64_t) override { return shipment_.state.load() == Shipment::State::done; }
  std::int64_t arrived() const override { return 0; }
  std::int64_t bytes() const override { return shipment_.frame.bytes; }
  int peer() const override { return peer_; }

 private:
  Connection& connection_;
  int peer_;
  Shipment shipment_;
};

/// A message to the rank itself, which is copied when it is sent.
class OwnSend final : public Request {
 public:
  OwnSend(World& world, const Group& group, const void* data, std::int64_t bytes)
      : world_(world), group_(group), data_(data), bytes_(bytes) {}

  void post(std::uint64_t sequence) override {
    Mailbox& mailbox = world_.session().mailbox();
    const Address address{world_.launch(), group_.id, sequence, world_.context().world_rank};
    const Mailbox::Place place = mailbox.arriving(address, bytes_);
    if (place.mismatch) world_.mismatch(address.source, bytes_, place.expected, "");
    std::byte* const target = place.posting != nullptr ? place.posting->data : place.parcel->data.data();
    if (bytes_ > 0) std::memcpy(target, data_, static_cast<std::size_t>(bytes_));
    if (place.posting != nullptr) {
      mailbox.end(*place.posting, true);
    } else {
      mailbox.end(*place.parcel, true);
    }
  }
  bool test(std::int64_t) override { return true; }
  std::int64_t arrived() const override { return 0; }
  std::int64_t bytes() const override { return bytes_; }
  int peer() const override { return group_.rank; }

 private:
  World& world_;
  const Group& group_;
  const void* data_;
  std::int64_t bytes_;
};

class GlooReceive final : public Request {
 public:
  GlooReceive(World& world, const Group& group, int from, void* data, std::int64_t bytes, std::string label)
      : world_(world), peer_(from), label_(std::move(label)) {
    posting_.address = {world.launch(), group.id, 0, group.members[static_cast<std::size_t>(from)]};
    posting_.data = static_cast<std::byte*>(data);
    posting_.bytes = bytes;
  }

  ~GlooReceive() override {
    Session& session = world_.session();
    if (posting_.address.source == session.rank()) {
      session.mailbox().cancel(posting_);
    } else {
      session.connection(posting_.address.source).cancel(posting_);
    }
  }

  void post(std::uint64_t sequence) override {
    posting_.address.sequence = sequence;
    const Mailbox::Posted posted = world_.session().mailbox().post(posting_);
    if (posted.mismatch) world_.mismatch(posting_.address.source, posted.sent, posting_.bytes, label_);
  }
  bool test(std::int64_t) override { return posting_.state.load() == Posting::State::done; }
  std::int64_t arrived() const override {
    return posting_.state.load() == Posting::State::done ? posting_.bytes : posting_.arrived.load();
  }
  std::int64_t bytes() const override { return posting_.bytes; }
  int peer() const override { return peer_; }

 private:
  World& world_;
  int peer_;
  std::string label_;
  Posting posting_;
};

}  // namespace

std::unique_ptr<Request> Messages::send(int to, const void* data, std::int64_t bytes, const std::string&) {
  if (to == rank()) return std::make_unique<OwnSend>(world_, *group_, data, bytes);
  return std::make_unique<GlooSend>(world_, *group_, to, data, bytes);
}

std::unique_ptr<Request> Messages::receive(int from, const ReceiveTarget& target, std::int64_t bytes,
                                           const std::string& label) {
  require(!target.operand, "over gloo, the receiver reduces a message");
  return std::make_unique<GlooReceive>(world_, *group_, from, target.data, bytes, label);
}

}  // namespace ddlbench::comm::gloo
