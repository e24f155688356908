#include "comm/counters.h"

#include "base/error.h"

namespace ddlbench::comm {

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::all_reduce:
      return "all_reduce";
    case Kind::reduce_scatter:
      return "reduce_scatter";
    case Kind::all_gather:
      return "all_gather";
    case Kind::all_to_all:
      return "all_to_all";
    case Kind::broadcast:
      return "broadcast";
    case Kind::send:
      return "send";
    case Kind::barrier:
      return "barrier";
  }
  throw ContractError("unknown kind of operation");
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
