#include "comm/counters.h"

#include "base/enumeration.h"

namespace ddlbench::comm {

std::string_view name(Kind kind) {
  return name_of<Kind::barrier>(kind, "all_reduce", "reduce_scatter", "all_gather", "all_to_all", "broadcast", "send",
                                "barrier");
}

SentBytes SentCounters::snapshot() const {
  SentBytes sent;
  for (int i = 0; i < kinds; ++i) {
    const std::int64_t bytes = bytes_[static_cast<std::size_t>(i)].load(std::memory_order_relaxed);
    if (bytes > 0) sent.emplace(name(static_cast<Kind>(i)), bytes);
  }
  return sent;
}

}  // namespace ddlbench::comm
