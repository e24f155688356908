#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/own/launch_geometry.h"
#include "kernels/own/storage.h"

/// What runs on a GPU and nowhere else in a build for GPUs; the tests run the same source on the host.
#if defined(__CUDACC__)
#define DDLBENCH_DEVICE __device__
#define DDLBENCH_UNROLL _Pragma("unroll 4")  // loads of four turns are on their way at once
#else
#define DDLBENCH_DEVICE
#define DDLBENCH_UNROLL
#endif

/// Kernels are written for a team of threads, a block or a warp: an object with
///   index(), count()        which of how many teams
///   threads()
///   each(body)              body(thread) on every thread; then all have finished
///   reduce(combine, value)  the value(thread) of all, combined in the order below: the same on every thread
///   first(make)             make() of one thread, on every thread
///   scratch<T>()            T[threads()] that the team shares; not of a warp
/// A body is called with a team and has no state but what it was launched with. Between the calls of a team, values are
/// the same on all its threads. kernels/cuda/launch.cuh has the GPU's teams, tests/kernels/own/host_launcher.h the
/// host's.
///
/// The order of a reduction: in each warp lane i takes lane i + offset for offset = 16, 8, 4, 2, 1; then warp 0, 1, ….
namespace ddlbench::kernels::own {

template <int n>
using Width = std::integral_constant<int, n>;

/// Elements of T that one vector holds.
template <class T>
inline constexpr int vector_width = bytes_per_vector / static_cast<int>(sizeof(T));

/// body(i) for every i of [0, count), over all teams.
DDLBENCH_DEVICE void each_index(auto& team, std::int64_t count, const auto& body) {
  team.each([&](int thread) {
    const std::int64_t stride = team.count() * team.threads();
    for (std::int64_t i = team.index() * team.threads() + thread; i < count; i += stride) body(i);
  });
}

/// body(Width<n>, i) for the elements [i, i + n) of [0, size): n = width, and 1 for what is left at the end.
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

/// body(i) for every pack [i, i + width) of a row that this thread of the team takes; the row is whole packs.
template <int width, class Team, class Body>
DDLBENCH_DEVICE void each_of_row(const Team& team, int thread, std::int64_t size, const Body& body) {
  DDLBENCH_UNROLL
  for (std::int64_t i = std::int64_t{thread} * width; i < size; i += std::int64_t{team.threads()} * width) body(i);
}

/// body(Width<n>, i) for what this thread of the team takes of a row: packs of n = width, and, one by one, what is left
/// at its end.
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

/// Two sums at a time.
struct Two {
  float a, b;
};
DDLBENCH_DEVICE inline Two operator+(Two x, Two y) {
  return {x.a + y.a, x.b + y.b};
}

/// The same in f64.
struct TwoWide {
  double a, b;
};
DDLBENCH_DEVICE inline TwoWide operator+(TwoWide x, TwoWide y) {
  return {x.a + y.a, x.b + y.b};
}

}  // namespace ddlbench::kernels::own
