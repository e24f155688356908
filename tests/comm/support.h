#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "comm/communicator.h"

namespace ddlbench::comm::testing {

/// Those that this test program can start (startable.cpp of the program): of processes where a launcher started it, of
/// threads otherwise.
std::vector<Transport> startable_transports();
int most_ranks(const Transport& transport);  ///< of one of those
/// Whether operations go on while their owner does something else: true of the build's own transports.
bool goes_on_alone(const Transport& transport);
bool has(const Communicator& communicator, collectives::Algorithm algorithm);  ///< for an all_reduce
/// The first that it has for the collective.
collectives::Algorithm usual(const Communicator& communicator, graph::Collective kind);
/// Up to `most`, as many ranks as the launcher started processes, or any number of threads.
std::vector<int> rank_counts(const Transport& transport, int most);
/// Whether this program can start so many.
bool can_start(const Transport& transport, int ranks);

/// What each rank has, on all of them, whether they share memory or not. Collective over a launch of `ranks`.
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

/// Memory of `count` elements of a type.
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

/// A small whole number: sums of eight of them are exact in every type.
int sample(int rank, std::int64_t index);
/// Of sample(·, index) over the ranks.
int reduced(graph::Reduction reduction, const std::vector<int>& ranks, std::int64_t index);

inline constexpr graph::DType every_dtype[] = {graph::DType::f32, graph::DType::bf16, graph::DType::f16,
                                               graph::DType::i32, graph::DType::i64,  graph::DType::u8};

std::vector<int> first_ranks(int count);

/// Checks in the ranks of a launch: Catch's own are for one thread.
void expect(bool holds, const char* what, std::int64_t detail = 0);

}  // namespace ddlbench::comm::testing
