#include "comm/threads/mailbox.h"

#include <thread>

namespace ddlbench::comm::threads {

using State = Posting::State;

void Mailbox::Queue::append(Posting& posting) {
  posting.next = nullptr;
  (last ? last->next : first) = &posting;
  last = &posting;
}

void Mailbox::Queue::remove(Posting& posting) {
  Posting* before = nullptr;
  for (Posting* p = first; p; before = p, p = p->next) {
    if (p != &posting) continue;
    (before ? before->next : first) = p->next;
    if (last == p) last = before;
    return;
  }
}

Posting* Mailbox::Queue::find(const Posting& like) const {
  for (Posting* p = first; p; p = p->next) {
    if (p->source == like.source && p->group == like.group && p->sequence == like.sequence) return p;
  }
  return nullptr;
}

Mailbox::Match Mailbox::post(Posting& posting, std::int64_t& other_bytes) {
  const std::lock_guard lock(mutex_);
  Posting* partner = queue(!posting.sends).find(posting);
  if (!partner) {
    queue(posting.sends).append(posting);
    posting.state.store(State::posted);
    return Match::none;
  }
  queue(!posting.sends).remove(*partner);
  other_bytes = partner->bytes;
  const bool agree = partner->bytes == posting.bytes;
  posting.partner = agree ? partner : nullptr;
  partner->partner = agree ? &posting : nullptr;
  posting.state.store(agree ? State::matched : State::lost);
  partner->state.store(agree ? State::matched : State::lost);
  return agree ? Match::found : Match::mismatch;
}

bool Mailbox::move(Posting& posting) {
  Posting* partner = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (posting.state.load() != State::matched) return false;
    partner = posting.partner;
    posting.state.store(State::moving);
    partner->state.store(State::moving);
  }
  const Posting& sender = posting.sends ? posting : *partner;
  const Posting& receiver = posting.sends ? *partner : posting;
  deliver(receiver.target, sender.message, posting.bytes);
  const std::lock_guard lock(mutex_);
  partner->state.store(State::done);  // from here on, the partner belongs to its owner again
  posting.state.store(State::done);
  return true;
}

void Mailbox::cancel(Posting& posting) {
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      const State state = posting.state.load();
      if (state == State::posted) queue(posting.sends).remove(posting);
      if (state == State::matched) {
        posting.partner->state.store(State::lost);
        posting.partner->partner = nullptr;
      }
      if (state != State::moving) {
        posting.state.store(State::idle);
        return;
      }
    }
    std::this_thread::yield();
  }
}

}  // namespace ddlbench::comm::threads
