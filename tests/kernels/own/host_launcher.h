#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "kernels/own/team.h"

/// Runs the kernels of kernels/own on the host: one team of a launch after the other, and one thread of a team after
/// the other, with the blocks and threads that a GPU would get.
namespace ddlbench::test {

class HostTeam {
 public:
  HostTeam(std::int64_t index, std::int64_t count, int threads) : index_(index), count_(count), threads_(threads) {}

  std::int64_t index() const { return index_; }
  std::int64_t count() const { return count_; }
  int threads() const { return threads_; }

  template <class Body>
  void each(const Body& body) {
    for (int thread = 0; thread < threads_; ++thread) body(thread);
  }

  template <class Combine, class Value>
  auto reduce(Combine combine, const Value& value) {
    std::vector<decltype(value(0))> values;
    for (int thread = 0; thread < threads_; ++thread) values.push_back(value(thread));
    for (auto* warp = values.data(); warp != values.data() + threads_; warp += kernels::warp_size) {
      for (int offset = kernels::warp_size / 2; offset > 0; offset /= 2)
        for (int lane = 0; lane < offset; ++lane) warp[lane] = combine(warp[lane], warp[lane + offset]);
    }
    auto total = values[0];
    for (int warp = kernels::warp_size; warp < threads_; warp += kernels::warp_size)
      total = combine(total, values[static_cast<std::size_t>(warp)]);
    return total;
  }

  template <class Make>
  auto first(const Make& make) {
    return make();
  }

  template <class T>
  std::vector<T> per_thread() {
    return std::vector<T>(static_cast<std::size_t>(threads_));
  }

  /// Returns scratch memory in which every float is NaN.
  template <class T>
  T* scratch() {
    scratch_.assign(static_cast<std::size_t>(threads_) * sizeof(T) + alignof(T), 0xFF);
    auto address = reinterpret_cast<std::uintptr_t>(scratch_.data());
    return reinterpret_cast<T*>((address + alignof(T) - 1) / alignof(T) * alignof(T));
  }

 private:
  std::int64_t index_, count_;
  int threads_;
  std::vector<unsigned char> scratch_;
};

class HostLauncher {
 public:
  struct Launch {
    std::string name;
    kernels::Geometry geometry;
  };

  /// Launches as on a GPU with this number of multiprocessors, and appends each launch to `launches`.
  HostLauncher(int multiprocessors, std::vector<Launch>& launches)
      : multiprocessors_(multiprocessors), launches_(&launches) {}

  int multiprocessors() const { return multiprocessors_; }

  template <class Body>
  void items(const char* name, std::int64_t items, const Body& body) const {
    const auto geometry = kernels::geometry_of_items(items, multiprocessors_);
    launch(name, geometry, geometry.blocks, geometry.threads, body);
  }
  template <class Body>
  void blocks(const char* name, std::int64_t teams, const Body& body) const {
    const auto geometry = kernels::geometry_of_blocks(teams, multiprocessors_);
    launch(name, geometry, geometry.blocks, geometry.threads, body);
  }
  template <class Body>
  void warps(const char* name, std::int64_t teams, const Body& body) const {
    const auto geometry = kernels::geometry_of_warps(teams, multiprocessors_);
    launch(name, geometry, geometry.blocks * kernels::warps_per_block, kernels::warp_size, body);
  }

 private:
  template <class Body>
  void launch(const char* name, const kernels::Geometry& geometry, std::int64_t teams, int threads,
              const Body& body) const {
    if (geometry.blocks == 0) return;
    launches_->push_back({name, geometry});
    for (std::int64_t index = 0; index < teams; ++index) {
      HostTeam team(index, teams, threads);
      body(team);
    }
  }

  int multiprocessors_;
  std::vector<Launch>* launches_;
};

}  // namespace ddlbench::test
