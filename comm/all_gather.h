#pragma once

#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "comm/communicator.h"

namespace ddlbench::comm {

/// Returns the values of all ranks, by rank. Collective. Sends them as bytes, so it works over any transport.
template <class T>
std::vector<std::vector<T>> all_gather(Communicator& communicator, const std::vector<T>& own) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto own_bytes = static_cast<std::int64_t>(own.size() * sizeof(T));
  Parts sizes;
  std::vector<std::int64_t> bytes(ranks);
  sizes.input = &own_bytes;
  sizes.output = bytes.data();
  sizes.counts.assign(ranks, 1);
  sizes.dtype = graph::DType::i64;
  sizes.label = "sizes of records";
  run(communicator.all_gather(sizes));

  for (const std::int64_t size : bytes)
    require(size % static_cast<std::int64_t>(sizeof(T)) == 0, "ranks gather records of one type");
  Parts records;
  const std::int64_t total = std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
  std::vector<T> all(static_cast<std::size_t>(total) / sizeof(T));
  records.input = own.data();
  records.output = all.data();
  records.counts = bytes;
  records.dtype = graph::DType::u8;
  records.label = "records";
  run(communicator.all_gather(records));

  std::vector<std::vector<T>> by_rank;
  auto at = all.begin();
  for (const std::int64_t size : bytes) {
    const auto end = at + size / static_cast<std::int64_t>(sizeof(T));
    by_rank.emplace_back(at, end);
    at = end;
  }
  return by_rank;
}

}  // namespace ddlbench::comm
