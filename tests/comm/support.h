#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "comm/communicator.h"

namespace ddlbench::comm::testing {

/// Returns the transports that this test program can start (see its startable.cpp): those of processes if a launcher
/// started it, otherwise those of threads.
std::vector<Transport> startable_transports();
int most_ranks(const Transport& transport);  ///< that this transport can start
/// Returns whether operations progress while their owner does something else: true for the build's own transports.
bool progresses_in_background(const Transport& transport);
/// Returns whether starts and waits may allocate: true for libraries that do.
bool allocates(const Transport& transport);
bool has(const Communicator& communicator, collectives::Algorithm algorithm);  ///< for an all_reduce
/// Returns the first algorithm that the communicator has for the collective.
collectives::Algorithm usual(const Communicator& communicator, graph::Collective kind);
/// Returns the numbers of ranks to test, up to `most`: with processes, the number that the launcher started; with
/// threads, any number.
std::vector<int> rank_counts(const Transport& transport, int most);
/// Returns whether this program can start so many ranks.
bool can_start(const Transport& transport, int ranks);

/// Returns the values of all ranks on each of them, whether they share memory or not. Collective over a launch with one
/// rank per value.
template <class T>
std::vector<T> from_every_rank(const Transport& transport, std::vector<T> values) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (!transport.processes) return values;
  transport.launch(static_cast<int>(values.size()), {}, [&](Communicator& communicator) {
    for (int root = 0; root < communicator.size(); ++root) {
      T& value = values[static_cast<std::size_t>(root)];
      run(communicator.broadcast({&value, static_cast<std::int64_t>(sizeof value), graph::DType::u8, root, ""}));
    }
  });
  return values;
}

/// Memory for `count` elements of a type.
class Elements {
 public:
  Elements(graph::DType dtype, std::int64_t count);

  void set(std::int64_t index, int value);
  double at(std::int64_t index) const;
  void* data(std::int64_t index = 0);
  graph::DType dtype() const { return dtype_; }
  std::int64_t count() const { return count_; }
  bool operator==(const Elements& other) const { return bytes_ == other.bytes_; }

 private:
  graph::DType dtype_;
  std::int64_t count_;
  std::vector<std::byte> bytes_;
};

/// Returns a small whole number: sums of eight of them are exact in every type.
int sample(int rank, std::int64_t index);
/// Returns the reduction of sample(rank, index) over the ranks.
int reduced(graph::Reduction reduction, const std::vector<int>& ranks, std::int64_t index);

inline constexpr graph::DType every_dtype[] = {graph::DType::f32, graph::DType::bf16, graph::DType::f16,
                                               graph::DType::i32, graph::DType::i64,  graph::DType::u8};

std::vector<int> first_ranks(int count);

/// Checks a condition within a rank of a launch; Catch's own checks are for one thread only.
void expect(bool holds, const char* what, std::int64_t detail = 0);

}  // namespace ddlbench::comm::testing
