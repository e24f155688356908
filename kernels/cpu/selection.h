#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "kernels/cpu/parallel.h"
#include "kernels/functors/codecs/select.h"
#include "kernels/own/storage.h"

namespace ddlbench::kernels::cpu {

/// Selects the `wanted` ≥ 1 of `size` elements with the largest keys (kernels/functors/codecs/select.h). The key of the
/// last one is found digit by digit, from the highest on, with histograms of the keys that have the digits found so far
/// (radix select). The result is the same for any number of threads.
class Selector {
 public:
  static std::size_t workspace_bytes(int threads) { return static_cast<std::size_t>(threads) * sizeof(Counts); }

  Selector(int threads, std::int64_t size, std::int64_t wanted, void* workspace)
      : threads_(threads),
        size_(size),
        wanted_(wanted),
        counts_(static_cast<Counts*>(workspace), static_cast<std::size_t>(threads)) {}

  /// Writes the indices in ascending order.
  template <class Key, class T>
  void select(const T* v, std::uint32_t* indices) const {
    const Last last = find_last<Key>(v);
    // Of each part: the numbers of keys above that of the last, and equal to it.
    each_part([&](int part, std::int64_t begin, std::int64_t end) {
      std::uint32_t above = 0, equal = 0;
      each_block<Key>(v, begin, end, [&](std::int64_t, std::size_t count, const Block& keys) {
        for (std::size_t i = 0; i < count; ++i) above += keys[i] > last.key ? 1 : 0;
        for (std::size_t i = 0; i < count; ++i) equal += keys[i] == last.key ? 1 : 0;
      });
      auto& row = counts_[static_cast<std::size_t>(part)][0];
      row[0] = above;
      row[1] = equal;
    });
    each_part([&](int part, std::int64_t begin, std::int64_t end) {
      std::int64_t above = 0, equal = 0;
      for (int before = 0; before < part; ++before) {
        above += counts_[static_cast<std::size_t>(before)][0][0];
        equal += counts_[static_cast<std::size_t>(before)][0][1];
      }
      each_block<Key>(v, begin, end, [&](std::int64_t first, std::size_t count, const Block& keys) {
        std::uint32_t candidates = 0;
        for (std::size_t i = 0; i < count; ++i) candidates |= keys[i] >= last.key ? 1 : 0;
        if (candidates == 0) return;
        for (std::size_t i = 0; i < count; ++i) {
          if (keys[i] < last.key) continue;
          const bool is_above = keys[i] > last.key;
          if (is_above || equal < last.equal)
            indices[above + std::min(equal, last.equal)] =
                static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(i);
          (is_above ? above : equal) += 1;
        }
      });
    });
  }

 private:
  static constexpr int digit_bits = 11;
  static constexpr std::size_t digits = std::size_t{1} << digit_bits;
  /// Four histograms, used in turn: equal digits in a row would otherwise wait for each other. The last entry counts
  /// the keys that do not have the digits found so far, so that there is no branch.
  using Counts = std::array<std::array<std::uint32_t, digits + 1>, 4>;

  using Block = std::array<std::uint32_t, 64>;

  /// Calls body(first, count, keys) for blocks of elements.
  template <class Key, class T>
  static void each_block(const T* v, std::int64_t begin, std::int64_t end, const auto& body) {
    Block keys{};
    constexpr auto most = static_cast<std::int64_t>(keys.size());
    for (std::int64_t first = begin; first < end; first += most) {
      const auto count = static_cast<std::size_t>(std::min(most, end - first));
      for (std::size_t i = 0; i < count; ++i) keys[i] = Key::key(own::to_f32(v[first + static_cast<std::int64_t>(i)]));
      body(first, count, keys);
    }
  }

  /// The smallest key that is selected, and how many of the elements with this key are.
  struct Last {
    std::uint32_t key;
    std::int64_t equal;
  };

  void each_part(const auto& body) const { parallel_parts(threads_, size_, size_, body); }

  template <class Key, class T>
  Last find_last(const T* v) const {
    Last last{0, wanted_};
    for (const int shift : {21, 10, 0}) {
      const int bits = shift == 0 ? 10 : digit_bits;
      for (Counts& counts : counts_) counts = {};
      const std::uint32_t found = last.key, mask = (1U << bits) - 1,
                          mask_of_found = ~0U - (mask << shift | ((1U << shift) - 1));
      each_part([&](int part, std::int64_t begin, std::int64_t end) {
        Counts& counts = counts_[static_cast<std::size_t>(part)];
        each_block<Key>(v, begin, end, [&](std::int64_t, std::size_t count, const Block& keys) {
          Block entries;
          std::uint32_t candidates = 0;
          for (std::size_t i = 0; i < count; ++i) candidates |= (keys[i] & mask_of_found) == found ? 1 : 0;
          if (candidates == 0) return;
          for (std::size_t i = 0; i < count; ++i)
            entries[i] = (keys[i] & mask_of_found) == found ? keys[i] >> shift & mask : digits;
          for (std::size_t i = 0; i < count; ++i) ++counts[i % 4][entries[i]];
        });
      });
      std::uint32_t digit = (1U << bits) - 1;
      for (std::int64_t count = count_of(digit); count < last.equal; count = count_of(digit)) {
        last.equal -= count;
        --digit;
      }
      last.key |= digit << shift;
    }
    return last;
  }

  std::int64_t count_of(std::uint32_t digit) const {
    std::int64_t count = 0;
    for (const Counts& counts : counts_)
      for (const auto& row : counts) count += row[digit];
    return count;
  }

  int threads_;
  std::int64_t size_, wanted_;
  std::span<Counts> counts_;
};

}  // namespace ddlbench::kernels::cpu
