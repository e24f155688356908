#pragma once

#include <cstdint>
#include <initializer_list>

#include "kernels/binding.h"
#include "kernels/kernel_table.h"
#include "kernels/operands.h"
#include "kernels/own/team.h"

/// Shared parts of the functions bind_OP, which bind the kernels of kernels/own. Such a function takes a binding and a
/// launcher with the functions
///   multiprocessors()           returns the GPU's number of multiprocessors
///   items(name, items, body)    launches a block per block_threads items; the teams divide the items among themselves
///   blocks(name, teams, body)   launches a block per team
///   warps(name, teams, body)    launches a warp per team
/// The size of a grid is limited (kernels/own/launch_geometry.h). A launcher launches nothing if the count is 0. The
/// order of a kernel's operations depends only on sizes, the alignment of operands and the number of multiprocessors,
/// so results are bitwise reproducible.
namespace ddlbench::kernels::own {

template <class T>
struct StorageTag {
  using type = T;
};

/// Calls body(StorageTag<T>) with the type T that stores elements of `dtype`: f32, bf16 or f16. Throws ContractError
/// for other types, which the functions sizes_of_… reject before.
auto with_storage(graph::DType dtype, const auto& body) {
  require(is_float(dtype), "a kernel for floating-point types was given another type");
  if (dtype == graph::DType::bf16) return body(StorageTag<Bfloat16>{});
  if (dtype == graph::DType::f16) return body(StorageTag<Float16>{});
  return body(StorageTag<float>{});
}

/// Returns whether all pointers are aligned for vector loads and stores.
inline bool aligned(std::initializer_list<const void*> pointers) {
  for (const void* pointer : pointers) {
    if (reinterpret_cast<std::uintptr_t>(pointer) % bytes_per_vector != 0) return false;
  }
  return true;
}

/// Calls body(Width<n>) with n = vector_width<T> if `vectors` is true, otherwise with n = 1.
template <class T, class Body>
void with_width(bool vectors, const Body& body) {
  if (vectors) {
    body(Width<vector_width<T>>{});
  } else {
    body(Width<1>{});
  }
}

/// Launches a team per row: a warp if rows are short, otherwise a block.
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
