#pragma once

#include <cstdint>
#include <initializer_list>

#include "kernels/binding.h"
#include "kernels/kernel_table.h"
#include "kernels/operands.h"
#include "kernels/own/team.h"

/// What every function that binds a kernel of our own uses. Such a function takes the binding and a launcher:
///   multiprocessors()
///   items(name, items, body)    a block for each block_threads of so many items, which the body's teams share out
///   blocks(name, teams, body)   a block for each team
///   warps(name, teams, body)    a warp for each team
/// that launches nothing where there is nothing to do. What a kernel computes depends on sizes and multiprocessors
/// alone, so that it is the same bits each time.
namespace ddlbench::kernels::own {

template <class T>
struct StorageTag {
  using type = T;
};

/// body(StorageTag<T>) for the type that elements of this dtype are stored as. What sizes_of_… let pass is one of them.
auto with_storage(graph::DType dtype, const auto& body) {
  require(is_float(dtype), "a kernel of floating-point numbers was given others");
  if (dtype == graph::DType::bf16) return body(StorageTag<Bfloat16>{});
  if (dtype == graph::DType::f16) return body(StorageTag<Float16>{});
  return body(StorageTag<float>{});
}

/// Whether vectors can be loaded from, and stored to, all of these.
inline bool aligned(std::initializer_list<const void*> pointers) {
  for (const void* pointer : pointers) {
    if (reinterpret_cast<std::uintptr_t>(pointer) % bytes_per_vector != 0) return false;
  }
  return true;
}

/// body(Width<n>) with the vector's width, or 1.
template <class T, class Body>
void with_width(bool vectors, const Body& body) {
  if (vectors) {
    body(Width<vector_width<T>>{});
  } else {
    body(Width<1>{});
  }
}

/// A team for each row: a warp where a row is short, else a block.
void launch_rows(const auto& launcher, const char* name, std::int64_t rows, std::int64_t size_of_row,
                 const auto& body) {
  constexpr std::int64_t longest_of_a_warp = 2048;
  if (size_of_row <= longest_of_a_warp) {
    launcher.warps(name, rows, body);
  } else {
    launcher.blocks(name, rows, body);
  }
}

}  // namespace ddlbench::kernels::own
