#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.h"

namespace ddlbench::comm::testing {

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
