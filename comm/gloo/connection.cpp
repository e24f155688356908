#include "comm/gloo/connection.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace ddlbench::comm::gloo {

namespace {

constexpr std::uint64_t frames_slot = 1;
constexpr std::uint64_t pieces_slot = 2;
/// ddlbench has time-outs of its own. One of gloo's would close all connections.
constexpr std::chrono::hours forever{24 * 365};
constexpr std::chrono::milliseconds time_to_end{50};
constexpr std::chrono::milliseconds between_looks{1};

constexpr std::size_t largest_frame = sizeof(Frame) + static_cast<std::size_t>(inline_bytes);

void for_each_piece(std::int64_t bytes, const auto& visit) {
  for (std::int64_t offset = 0; offset < bytes; offset += piece_bytes) {
    visit(static_cast<std::size_t>(offset), static_cast<std::size_t>(std::min(piece_bytes, bytes - offset)));
  }
}

}  // namespace

Connection::Current::Current(Connection& connection, Buffer*& place, Buffer* buffer)
    : mutex_(connection.mutex_), place_(place) {
  const std::lock_guard lock(mutex_);
  place_ = buffer;
  if (!connection.stop_) return;
  buffer->abortWaitSend();
  buffer->abortWaitRecv();
}

Connection::Current::~Current() {
  const std::lock_guard lock(mutex_);
  place_ = nullptr;
}

Connection::Connection(const std::shared_ptr<::gloo::Context>& context, int peer, Mailbox& mailbox, Owner& owner)
    : context_(context),
      peer_(peer),
      mailbox_(mailbox),
      owner_(owner),
      frame_out_(largest_frame),
      frame_in_(largest_frame),
      out_(context->createUnboundBuffer(frame_out_.data(), frame_out_.size())),
      in_(context->createUnboundBuffer(frame_in_.data(), frame_in_.size())) {}

void Connection::start() {
  sender_ = std::thread([this] { guarded(&Connection::send_all); });
  receiver_ = std::thread([this] { guarded(&Connection::receive_all); });
}

Connection::~Connection() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    out_->abortWaitSend();
    in_->abortWaitRecv();
    if (pieces_out_ != nullptr) pieces_out_->abortWaitSend();
    if (pieces_in_ != nullptr) pieces_in_->abortWaitRecv();
  }
  wakes_.notify_all();
  for (std::thread* thread : {&sender_, &receiver_}) {
    if (thread->joinable()) thread->join();
  }
}

void Connection::guarded(void (Connection::*body)()) {
  try {
    (this->*body)();
  } catch (const std::exception& error) {
    owner_.lost(peer_, error.what());
  }
}

void Connection::send(const Frame& frame, std::string text) {
  {
    const std::lock_guard lock(mutex_);
    controls_.push_back({frame, std::move(text)});
  }
  wakes_.notify_all();
}

bool Connection::flushed() {
  const std::lock_guard lock(mutex_);
  return controls_.empty() && !controlling_;
}

void Connection::post(Shipment& shipment) {
  {
    const std::lock_guard lock(mutex_);
    shipment.next = nullptr;
    shipment.state.store(Shipment::State::queued);
    (last_ != nullptr ? last_->next : first_) = &shipment;
    last_ = &shipment;
  }
  wakes_.notify_all();
}

void Connection::cancel(Shipment& shipment) {
  const auto last = std::chrono::steady_clock::now() + time_to_end;
  for (bool aborted = false;; std::this_thread::sleep_for(between_looks)) {
    const std::lock_guard lock(mutex_);
    if (shipment.state.load() == Shipment::State::queued) {
      Shipment* before = nullptr;
      for (Shipment* one = first_; one != &shipment; one = one->next) before = one;
      (before != nullptr ? before->next : first_) = shipment.next;
      if (last_ == &shipment) last_ = before;
      shipment.state.store(Shipment::State::idle);
    }
    if (shipment.state.load() != Shipment::State::sending) return;
    if (aborted || std::chrono::steady_clock::now() < last) continue;
    out_->abortWaitSend();
    if (pieces_out_ != nullptr) pieces_out_->abortWaitSend();
    aborted = true;
  }
}

void Connection::cancel(Posting& posting) {
  const auto last = std::chrono::steady_clock::now() + time_to_end;
  for (bool aborted = false; !mailbox_.cancel(posting); std::this_thread::sleep_for(between_looks)) {
    const std::lock_guard lock(mutex_);
    if (aborted || std::chrono::steady_clock::now() < last || pieces_in_ == nullptr) continue;
    pieces_in_->abortWaitRecv();
    aborted = true;
  }
}

void Connection::send_all() {
  std::unique_lock lock(mutex_);
  while (true) {
    wakes_.wait(lock, [this] { return stop_ || !controls_.empty() || first_ != nullptr; });
    if (stop_) return;
    if (!controls_.empty()) {
      const Control control = std::move(controls_.front());
      controls_.pop_front();
      controlling_ = true;
      lock.unlock();
      const bool sent = transmit(control.frame, control.text.data(), control.frame.bytes);
      lock.lock();
      controlling_ = false;
      if (!sent) return;
      continue;
    }
    Shipment& shipment = *first_;
    first_ = shipment.next;
    if (first_ == nullptr) last_ = nullptr;
    shipment.state.store(Shipment::State::sending);
    lock.unlock();
    bool sent = false;
    try {
      sent = ship(shipment);
    } catch (...) {
      lock.lock();
      shipment.state.store(Shipment::State::broken);
      throw;
    }
    lock.lock();
    shipment.state.store(sent ? Shipment::State::done : Shipment::State::broken);
    if (!sent) return;
    lock.unlock();
    owner_.advanced();
    lock.lock();
  }
}

bool Connection::transmit(const Frame& frame, const void* bytes, std::int64_t count) {
  std::memcpy(frame_out_.data(), &frame, sizeof frame);
  if (count > 0) std::memcpy(frame_out_.data() + sizeof frame, bytes, static_cast<std::size_t>(count));
  out_->send(peer_, frames_slot, 0, sizeof frame + static_cast<std::size_t>(count));
  return out_->waitSend(forever);
}

bool Connection::ship(Shipment& shipment) {
  const std::int64_t bytes = shipment.frame.bytes;
  if (bytes <= inline_bytes) return transmit(shipment.frame, shipment.data, bytes);
  const Current current(*this, pieces_out_, shipment.buffer.get());
  if (!transmit(shipment.frame, nullptr, 0)) return false;
  for_each_piece(
      bytes, [&](std::size_t offset, std::size_t count) { shipment.buffer->send(peer_, pieces_slot, offset, count); });
  bool sent = true;
  for_each_piece(bytes, [&](std::size_t, std::size_t) { sent = sent && shipment.buffer->waitSend(forever); });
  return sent;
}

void Connection::receive_all() {
  while (true) {
    in_->recv(peer_, frames_slot, 0, frame_in_.size());
    if (!in_->waitRecv(forever)) return;
    Frame frame;
    std::memcpy(&frame, frame_in_.data(), sizeof frame);
    if (frame.type == Frame::Type::data) {
      if (!receive(frame)) return;
      continue;
    }
    const auto* text = reinterpret_cast<const char*>(frame_in_.data() + sizeof frame);
    owner_.take(peer_, frame, std::string(text, static_cast<std::size_t>(frame.bytes)));
    if (frame.type == Frame::Type::leaving) return;
  }
}

bool Connection::receive(const Frame& frame) {
  const Address address{frame.launch, frame.group, frame.sequence, peer_};
  const Mailbox::Place place = mailbox_.arriving(address, frame.bytes);
  if (place.mismatch) owner_.mismatch(address, frame.bytes, place.expected);
  std::byte* const data = place.posting != nullptr ? place.posting->data : place.parcel->data.data();
  bool whole = false;
  const auto end = [&] {
    if (place.posting != nullptr) {
      mailbox_.end(*place.posting, whole);
    } else if (!mailbox_.end(*place.parcel, whole)) {
      return;
    }
    owner_.advanced();
  };
  try {
    if (frame.bytes > inline_bytes) {
      whole = receive_pieces(data, frame.bytes, place.posting);
    } else {
      if (frame.bytes > 0) std::memcpy(data, frame_in_.data() + sizeof frame, static_cast<std::size_t>(frame.bytes));
      whole = true;
    }
  } catch (...) {
    end();
    throw;
  }
  end();
  return whole;
}

bool Connection::receive_pieces(std::byte* data, std::int64_t bytes, Posting* posting) {
  const std::unique_ptr<Buffer> buffer = context_->createUnboundBuffer(data, static_cast<std::size_t>(bytes));
  const Current current(*this, pieces_in_, buffer.get());
  for_each_piece(bytes,
                 [&](std::size_t offset, std::size_t count) { buffer->recv(peer_, pieces_slot, offset, count); });
  bool whole = true;
  for_each_piece(bytes, [&](std::size_t, std::size_t count) {
    whole = whole && buffer->waitRecv(forever);
    if (!whole || posting == nullptr) return;
    posting->arrived.fetch_add(static_cast<std::int64_t>(count));
    owner_.advanced();
  });
  return whole;
}

}  // namespace ddlbench::comm::gloo
