#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ddlbench::graph {

/// Storage types of tensors. Arithmetic on 16-bit types accumulates in f32.
enum class DType : std::uint8_t { f32, bf16, f16, i32, i64, u8 };

/// Whether elements are floating-point numbers of 16 bits.
constexpr bool is_narrow(DType dtype) {
  return dtype == DType::bf16 || dtype == DType::f16;
}

/// Whether elements are floating-point numbers: f32, bf16, f16.
constexpr bool is_float(DType dtype) {
  return dtype == DType::f32 || is_narrow(dtype);
}

/// Bytes of one element.
std::size_t size_of(DType dtype);
std::int64_t bytes_of(std::int64_t elements, DType dtype);

/// "f32", "bf16", …
std::string_view name(DType dtype);

}  // namespace ddlbench::graph
