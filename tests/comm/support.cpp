#include "support.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>

#include "comm/process_place.h"
#include "graph/half.h"

namespace ddlbench::comm::testing {

namespace {

template <class T>
void put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}
template <class T>
T take(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

std::vector<int> rank_counts(const Transport& transport, int most) {
  std::vector<int> counts;
  for (int ranks = 1; ranks <= most; ++ranks) {
    if (can_start(transport, ranks)) counts.push_back(ranks);
  }
  return counts;
}

bool allocates(const Transport& transport) {
  return transport.name == "gloo";
}

bool progresses_in_background(const Transport& transport) {
  const std::vector<Transport>& own = transports();
  return std::any_of(own.begin(), own.end(), [&](const Transport& one) { return one.name == transport.name; });
}

bool has(const Communicator& communicator, collectives::Algorithm algorithm) {
  const std::vector<collectives::Algorithm> all = communicator.algorithms(graph::Collective::all_reduce);
  return std::find(all.begin(), all.end(), algorithm) != all.end();
}

collectives::Algorithm usual(const Communicator& communicator, graph::Collective kind) {
  return communicator.algorithms(kind).front();
}

bool can_start(const Transport& transport, int ranks) {
  return ranks <= most_ranks(transport) && (!transport.processes || process_place().value().size == ranks);
}

Elements::Elements(graph::DType dtype, std::int64_t count)
    : dtype_(dtype), count_(count), bytes_(static_cast<std::size_t>(count) * graph::size_of(dtype)) {}

void* Elements::data(std::int64_t index) {
  return bytes_.data() + static_cast<std::size_t>(index) * graph::size_of(dtype_);
}

void Elements::set(std::int64_t index, int value) {
  auto* at = static_cast<std::byte*>(data(index));
  switch (dtype_) {
    case graph::DType::f32:
      return put(at, static_cast<float>(value));
    case graph::DType::bf16:
      return put(at, graph::from_f32<graph::Bfloat16>(static_cast<float>(value)));
    case graph::DType::f16:
      return put(at, graph::from_f32<graph::Float16>(static_cast<float>(value)));
    case graph::DType::i32:
      return put(at, static_cast<std::int32_t>(value));
    case graph::DType::i64:
      return put(at, static_cast<std::int64_t>(value));
    case graph::DType::u8:
      return put(at, static_cast<std::uint8_t>(value));
  }
}

double Elements::at(std::int64_t index) const {
  const std::byte* at = bytes_.data() + static_cast<std::size_t>(index) * graph::size_of(dtype_);
  switch (dtype_) {
    case graph::DType::f32:
      return static_cast<double>(take<float>(at));
    case graph::DType::bf16:
      return static_cast<double>(to_f32(take<graph::Bfloat16>(at)));
    case graph::DType::f16:
      return static_cast<double>(to_f32(take<graph::Float16>(at)));
    case graph::DType::i32:
      return take<std::int32_t>(at);
    case graph::DType::i64:
      return static_cast<double>(take<std::int64_t>(at));
    case graph::DType::u8:
      return take<std::uint8_t>(at);
  }
  return 0;
}

int sample(int rank, std::int64_t index) {
  return static_cast<int>((7 * rank + 3 * index + index / 5) % 29);
}

int reduced(graph::Reduction reduction, const std::vector<int>& ranks, std::int64_t index) {
  int result = 0;
  for (const int rank : ranks) {
    const int value = sample(rank, index);
    result = reduction == graph::Reduction::sum ? result + value : std::max(result, value);
  }
  return result;
}

std::vector<int> first_ranks(int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

void expect(bool holds, const char* what, std::int64_t detail) {
  if (!holds)
    throw std::runtime_error(std::string("expectation failed: ") + what + " (" + std::to_string(detail) + ")");
}

}  // namespace ddlbench::comm::testing
