#pragma once

#include <cstdint>

#include "kernels/functors/codecs/select.h"
#include "kernels/own/bind.h"

/// Selects the elements with the largest keys (kernels/functors/codecs/select.h). The key of the last selected element
/// is found digit by digit of 4 bits, from the highest on: each pass counts the elements that have the digits found so
/// far, by their next digit (radix select). Then each selected element finds its place in the list from the numbers of
/// selected elements before it. All counts are exact, so that the list does not depend on the launch.
namespace ddlbench::kernels::own {

inline constexpr int select_digit_bits = 4, select_digits = 1 << select_digit_bits;
inline constexpr int elements_of_thread = 16;
inline constexpr std::int64_t select_chunk = elements_of_thread * block_threads;  ///< elements that a block counts

/// The digits that are found, and how many of the elements with these digits and any below are selected.
struct SelectState {
  std::uint32_t key;
  std::uint32_t wanted;
};

struct DigitCounts {
  std::uint32_t of[select_digits];
};

struct AddDigitCounts {
  DDLBENCH_DEVICE DigitCounts operator()(const DigitCounts& a, const DigitCounts& b) const {
    DigitCounts sum;
    for (int d = 0; d < select_digits; ++d) sum.of[d] = a.of[d] + b.of[d];
    return sum;
  }
};

/// Numbers of elements above the last selected key, and equal to it.
struct PlaceCounts {
  std::uint32_t above, equal;
};
DDLBENCH_DEVICE inline PlaceCounts operator+(PlaceCounts a, PlaceCounts b) {
  return {a.above + b.above, a.equal + b.equal};
}

struct StartSelectBody {
  SelectState* state;
  std::uint32_t wanted;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, 1, [&](std::int64_t) { *state = {0, wanted}; });
  }
};

template <class Key, class T>
struct CountDigitsBody {
  const T* v;
  std::int64_t size;
  int shift;
  const SelectState* state;
  DigitCounts* counts;  ///< of each chunk

  DDLBENCH_DEVICE void operator()(auto& team) const {
    const std::uint64_t found = std::uint64_t{state->key} >> (shift + select_digit_bits);
    for (std::int64_t chunk = team.index(); chunk * select_chunk < size; chunk += team.count()) {
      const std::int64_t begin = chunk * select_chunk;
      const std::int64_t end = begin + select_chunk < size ? begin + select_chunk : size;
      const DigitCounts sum = team.reduce(AddDigitCounts{}, [&](int thread) {
        DigitCounts mine{};
        for (std::int64_t i = begin + thread; i < end; i += team.threads()) {
          const std::uint64_t key = Key::key(to_f32(v[i]));
          if (key >> (shift + select_digit_bits) != found) continue;
          const auto digit = static_cast<int>(key >> shift & (select_digits - 1));
          for (int d = 0; d < select_digits; ++d) mine.of[d] += d == digit ? 1 : 0;  // in registers
        }
        return mine;
      });
      team.each([&](int thread) {
        if (thread == 0) counts[chunk] = sum;
      });
    }
  }
};

/// Finds the next digit. One block.
struct PickDigitBody {
  const DigitCounts* counts;
  std::int64_t chunks;
  int shift;
  SelectState* state;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    const DigitCounts total = team.reduce(AddDigitCounts{}, [&](int thread) {
      DigitCounts mine{};
      for (std::int64_t chunk = thread; chunk < chunks; chunk += team.threads())
        mine = AddDigitCounts{}(mine, counts[chunk]);
      return mine;
    });
    team.each([&](int thread) {
      if (thread != 0) return;
      SelectState next = *state;
      bool found = false;
      for (int d = select_digits - 1; d >= 0; --d) {
        if (found) continue;
        found = total.of[d] >= next.wanted;
        if (found) next.key |= static_cast<std::uint32_t>(d) << shift;
        if (!found) next.wanted -= total.of[d];
      }
      *state = next;
    });
  }
};

template <class Key>
DDLBENCH_DEVICE PlaceCounts counts_of(const auto* v, std::int64_t begin, std::int64_t end, std::uint32_t last) {
  PlaceCounts mine{0, 0};
  for (std::int64_t i = begin; i < end; ++i) {
    const std::uint32_t key = Key::key(to_f32(v[i]));
    mine = mine + PlaceCounts{key > last ? 1u : 0u, key == last ? 1u : 0u};
  }
  return mine;
}

template <class Key, class T>
struct CountPlacesBody {
  const T* v;
  std::int64_t size;
  const SelectState* state;
  PlaceCounts* places;  ///< of each chunk

  DDLBENCH_DEVICE void operator()(auto& team) const {
    for (std::int64_t chunk = team.index(); chunk * select_chunk < size; chunk += team.count()) {
      const PlaceCounts sum = team.reduce(Sum{}, [&](int thread) {
        PlaceCounts mine{0, 0};
        for (std::int64_t i = chunk * select_chunk + thread; i < size && i < (chunk + 1) * select_chunk;
             i += team.threads())
          mine = mine + counts_of<Key>(v, i, i + 1, state->key);
        return mine;
      });
      team.each([&](int thread) {
        if (thread == 0) places[chunk] = sum;
      });
    }
  }
};

/// Replaces each count by the sum of those before it. One block: each thread has neighbouring chunks.
struct ScanPlacesBody {
  PlaceCounts* places;
  std::int64_t chunks;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    auto* of_threads = team.template scratch<PlaceCounts>();
    const std::int64_t run = quotient_up(chunks, team.threads());
    team.each([&](int thread) {
      PlaceCounts sum{0, 0};
      for (std::int64_t c = thread * run; c < chunks && c < (thread + 1) * run; ++c) sum = sum + places[c];
      of_threads[thread] = sum;
    });
    team.each([&](int thread) {
      PlaceCounts before{0, 0};
      for (int t = 0; t < thread; ++t) before = before + of_threads[t];
      for (std::int64_t c = thread * run; c < chunks && c < (thread + 1) * run; ++c) {
        const PlaceCounts here = places[c];
        places[c] = before;
        before = before + here;
      }
    });
  }
};

/// Writes the indices in ascending order. Each thread has neighbouring elements of a chunk.
template <class Key, class T>
struct WriteIndicesBody {
  const T* v;
  std::int64_t size;
  const SelectState* state;
  const PlaceCounts* places;
  std::uint32_t* indices;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    auto* of_threads = team.template scratch<PlaceCounts>();
    const SelectState last = *state;
    for (std::int64_t chunk = team.index(); chunk * select_chunk < size; chunk += team.count()) {
      const auto begin_of = [&](int thread) {
        const std::int64_t begin = chunk * select_chunk + thread * elements_of_thread;
        return begin < size ? begin : size;
      };
      team.each([&](int thread) {
        of_threads[thread] = counts_of<Key>(v, begin_of(thread), begin_of(thread + 1), last.key);
      });
      team.each([&](int thread) {
        if (of_threads[thread].above == 0 && of_threads[thread].equal == 0) return;
        PlaceCounts before = places[chunk];
        for (int t = 0; t < thread; ++t) before = before + of_threads[t];
        for (std::int64_t i = begin_of(thread); i < begin_of(thread + 1); ++i) {
          const PlaceCounts here = counts_of<Key>(v, i, i + 1, last.key);
          const std::uint32_t equal = before.equal < last.wanted ? before.equal : last.wanted;
          if (here.above != 0 || (here.equal != 0 && before.equal < last.wanted))
            indices[before.above + equal] = static_cast<std::uint32_t>(i);
          before = before + here;
        }
      });
    }
  }
};

/// Launches a selection of `wanted` ≥ 1 of `size` elements.
class Selection {
 public:
  Selection(std::int64_t size, std::int64_t wanted, void* workspace)
      : size_(size),
        wanted_(wanted),
        chunks_(quotient_up(size, select_chunk)),
        state_(static_cast<SelectState*>(workspace)),
        counts_(reinterpret_cast<DigitCounts*>(state_ + 1)),
        places_(reinterpret_cast<PlaceCounts*>(counts_ + chunks_)) {}

  static std::size_t workspace_bytes(std::int64_t size) {
    const auto chunks = static_cast<std::size_t>(quotient_up(size, select_chunk));
    return sizeof(SelectState) + chunks * (sizeof(DigitCounts) + sizeof(PlaceCounts));
  }

  template <class Key, class T>
  void launch(const auto& launcher, const T* v, std::uint32_t* indices) const {
    launcher.items("encode", 1, StartSelectBody{state_, static_cast<std::uint32_t>(wanted_)});
    for (int shift = 32 - select_digit_bits; shift >= 0; shift -= select_digit_bits) {
      launcher.blocks("encode", chunks_, CountDigitsBody<Key, T>{v, size_, shift, state_, counts_});
      launcher.blocks("encode", 1, PickDigitBody{counts_, chunks_, shift, state_});
    }
    launcher.blocks("encode", chunks_, CountPlacesBody<Key, T>{v, size_, state_, places_});
    launcher.blocks("encode", 1, ScanPlacesBody{places_, chunks_});
    launcher.blocks("encode", chunks_, WriteIndicesBody<Key, T>{v, size_, state_, places_, indices});
  }

 private:
  std::int64_t size_, wanted_, chunks_;
  SelectState* state_;
  DigitCounts* counts_;
  PlaceCounts* places_;
};

}  // namespace ddlbench::kernels::own
