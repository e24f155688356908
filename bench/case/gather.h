#pragma once

#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "comm/communicator.h"

namespace ddlbench::bench {

/// What every rank has, on every rank, by rank. Collective; goes by bytes over any transport.
template <class T>
std::vector<std::vector<T>> all_gather(comm::Communicator& communicator, const std::vector<T>& own) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto own_bytes = static_cast<std::int64_t>(own.size() * sizeof(T));
  comm::Parts sizes;
  std::vector<std::int64_t> bytes(ranks);
  sizes.input = &own_bytes;
  sizes.output = bytes.data();
  sizes.counts.assign(ranks, 1);
  sizes.dtype = graph::DType::i64;
  sizes.label = "sizes of records";
  comm::run(communicator.all_gather(sizes));

  comm::Parts records;
  const std::int64_t total = std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
  std::vector<T> all(static_cast<std::size_t>(total) / sizeof(T));
  records.input = own.data();
  records.output = all.data();
  records.counts = bytes;
  records.dtype = graph::DType::u8;
  records.label = "records";
  comm::run(communicator.all_gather(records));

  std::vector<std::vector<T>> by_rank;
  auto at = all.begin();
  for (const std::int64_t size : bytes) {
    const auto end = at + size / static_cast<std::int64_t>(sizeof(T));
    by_rank.emplace_back(at, end);
    at = end;
  }
  return by_rank;
}

/// Sum over ranks, element by element. Collective; the same number of elements everywhere.
inline std::vector<double> sum_over_ranks(comm::Communicator& communicator, const std::vector<double>& own) {
  std::vector<double> sum(own.size(), 0.0);
  for (const std::vector<double>& part : all_gather(communicator, own)) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part.at(i);
  }
  return sum;
}

}  // namespace ddlbench::bench
