#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/own/launch_geometry.h"
#include "kernels/own/storage.h"

/// Marks functions that run only on the GPU in a build for GPUs. The tests run the same source on the host.
#if defined(__CUDACC__)
#define DDLBENCH_DEVICE __device__
#define DDLBENCH_UNROLL _Pragma("unroll 4")  // the loads of four iterations are in flight at once
#define DDLBENCH_UNROLL_ALL _Pragma("unroll")
#else
#define DDLBENCH_DEVICE
#define DDLBENCH_UNROLL
#define DDLBENCH_UNROLL_ALL
#endif

/// Kernels are written for a team of threads, a block or a warp. A team is an object with the functions
///   index(), count()        the team's index, and the number of teams
///   threads()               the number of threads of the team
///   each(body)              calls body(thread) on every thread, then waits for all threads
///   reduce(combine, value)  combines value(thread) of all threads in the order below; every thread gets the result
///   first(make)             calls make() on one thread; every thread gets the result; blocks only
///   per_thread<T>()         returns an object whose element [thread] is a T that this thread keeps, and it alone uses
///   scratch<T>()            returns T[threads()] shared by the team; blocks only
/// A body is called with a team, and its only state is what it was launched with. Outside the calls of team functions,
/// all threads of a team have the same values. kernels/cuda/launch.cuh has the teams for GPUs, and
/// tests/kernels/own/host_launcher.h has one for the host.
///
/// The order of a reduction: in each warp, lane i combines its value with that of lane i + offset for offset = 16, 8,
/// 4, 2, 1; then the results of the warps are combined in the order 0, 1, ….
namespace ddlbench::kernels::own {

template <int n>
using Width = std::integral_constant<int, n>;

/// The number of elements of T in a vector.
template <class T>
inline constexpr int vector_width = bytes_per_vector / static_cast<int>(sizeof(T));

/// Calls body(i) for every i in [0, count), distributed over the threads of all teams.
DDLBENCH_DEVICE void each_index(auto& team, std::int64_t count, const auto& body) {
  team.each([&](int thread) {
    const std::int64_t stride = team.count() * team.threads();
    for (std::int64_t i = team.index() * team.threads() + thread; i < count; i += stride) body(i);
  });
}

/// Calls body(Width<n>, i) for the elements [i, i + n) of [0, size), with n = width, and with n = 1 for the remaining
/// elements at the end.
template <int width, class Team, class Body>
DDLBENCH_DEVICE void each_pack(Team& team, std::int64_t size, const Body& body) {
  const std::int64_t packs = size / width;
  each_index(team, items_of(size, width), [&](std::int64_t item) {
    if (item < packs) {
      body(Width<width>{}, item * width);
    } else {
      body(Width<1>{}, packs * width + (item - packs));
    }
  });
}

/// Calls body(i) for every pack [i, i + width) of a row that this thread of the team processes. The size of the row
/// must be a multiple of `width`.
template <int width, class Team, class Body>
DDLBENCH_DEVICE void each_of_row(const Team& team, int thread, std::int64_t size, const Body& body) {
  DDLBENCH_UNROLL
  for (std::int64_t i = std::int64_t{thread} * width; i < size; i += std::int64_t{team.threads()} * width) body(i);
}

/// Calls body(Width<n>, i) for the elements of a row that this thread of the team processes: packs of n = width, then,
/// with n = 1, the remaining elements at the end.
template <int width, class Team, class Body>
DDLBENCH_DEVICE void each_pack_of_row(const Team& team, int thread, std::int64_t size, const Body& body) {
  const std::int64_t whole = size / width * width;
  each_of_row<width>(team, thread, whole, [&](std::int64_t i) { body(Width<width>{}, i); });
  for (std::int64_t i = whole + thread; i < size; i += team.threads()) body(Width<1>{}, i);
}

struct Sum {
  template <class T>
  DDLBENCH_DEVICE T operator()(T a, T b) const {
    return a + b;
  }
};

/// A pair of sums that are computed together.
struct FloatPair {
  float a, b;
};
DDLBENCH_DEVICE inline FloatPair operator+(FloatPair x, FloatPair y) {
  return {x.a + y.a, x.b + y.b};
}

/// The same in f64.
struct DoublePair {
  double a, b;
};
DDLBENCH_DEVICE inline DoublePair operator+(DoublePair x, DoublePair y) {
  return {x.a + y.a, x.b + y.b};
}

}  // namespace ddlbench::kernels::own
