#include "comm/gloo/mailbox.h"

#include <algorithm>
#include <cstring>

namespace ddlbench::comm::gloo {

using State = Posting::State;

void Mailbox::append(Posting& posting) {
  posting.next = nullptr;
  (last_ != nullptr ? last_->next : first_) = &posting;
  last_ = &posting;
}

void Mailbox::remove(Posting& posting) {
  Posting* before = nullptr;
  for (Posting* one = first_; one != nullptr; before = one, one = one->next) {
    if (one != &posting) continue;
    (before != nullptr ? before->next : first_) = one->next;
    if (last_ == one) last_ = before;
    return;
  }
}

Parcel& Mailbox::new_parcel(const Address& address, std::int64_t bytes) {
  if (unused_.empty()) unused_.emplace_back();
  parcels_.splice(parcels_.end(), unused_, unused_.begin());
  Parcel& parcel = parcels_.back();
  parcel.address = address;
  parcel.data.resize(static_cast<std::size_t>(bytes));
  parcel.whole = parcel.dropped = false;
  parcel.posting = nullptr;
  return parcel;
}

void Mailbox::recycle(Parcel& parcel) {
  const auto place = std::find_if(parcels_.begin(), parcels_.end(), [&](const Parcel& one) { return &one == &parcel; });
  unused_.splice(unused_.begin(), parcels_, place);
}

void Mailbox::copy(Parcel& parcel, Posting& posting) {
  if (!parcel.data.empty()) std::memcpy(posting.data, parcel.data.data(), parcel.data.size());
  posting.arrived.store(posting.bytes);
  posting.state.store(State::done);
  recycle(parcel);
}

Mailbox::Place Mailbox::arriving(const Address& address, std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  Place place;
  for (Posting* one = first_; one != nullptr; one = one->next) {
    if (!(one->address == address)) continue;
    remove(*one);
    if (one->bytes == bytes) {
      one->state.store(State::arriving);
      place.posting = one;
      return place;
    }
    one->state.store(State::broken);
    place.mismatch = true;
    place.expected = one->bytes;
    break;
  }
  place.parcel = &new_parcel(address, bytes);
  place.parcel->dropped = place.mismatch;
  return place;
}

void Mailbox::end(Posting& posting, bool success) {
  const std::lock_guard lock(mutex_);
  posting.state.store(success ? State::done : State::broken);
}

bool Mailbox::end(Parcel& parcel, bool success) {
  const std::lock_guard lock(mutex_);
  parcel.whole = success;
  Posting* const posting = parcel.posting;
  if (posting != nullptr && success) {
    copy(parcel, *posting);
    return true;
  }
  if (posting != nullptr) posting->state.store(State::broken);
  if (parcel.dropped || !success) recycle(parcel);
  return false;
}

Mailbox::Posted Mailbox::post(Posting& posting) {
  const std::lock_guard lock(mutex_);
  posting.arrived.store(0);
  for (Parcel& parcel : parcels_) {
    if (!(parcel.address == posting.address) || parcel.posting != nullptr || parcel.dropped) continue;
    const auto sent = static_cast<std::int64_t>(parcel.data.size());
    if (sent != posting.bytes) {
      posting.state.store(State::broken);
      parcel.dropped = true;
      if (parcel.whole) recycle(parcel);
      return {true, sent};
    }
    if (parcel.whole) {
      copy(parcel, posting);
    } else {
      parcel.posting = &posting;
      posting.state.store(State::claimed);
    }
    return {};
  }
  append(posting);
  posting.state.store(State::posted);
  return {};
}

bool Mailbox::cancel(Posting& posting) {
  const std::lock_guard lock(mutex_);
  const State state = posting.state.load();
  if (state == State::arriving) return false;
  if (state == State::posted) remove(posting);
  if (state == State::claimed) {
    for (Parcel& parcel : parcels_) {
      if (parcel.posting != &posting) continue;
      parcel.posting = nullptr;
      parcel.dropped = true;
    }
  }
  posting.state.store(State::idle);
  return true;
}

}  // namespace ddlbench::comm::gloo
