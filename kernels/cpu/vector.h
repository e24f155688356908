#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/own/storage.h"

#if defined(__SSE__)
#include <immintrin.h>
#endif

/// Unrolls the loop that follows, which must have at most 16 iterations, so that arrays of vectors stay in registers.
#if defined(__clang__)
#define DDLBENCH_UNROLL_FULLY _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define DDLBENCH_UNROLL_FULLY _Pragma("GCC unroll 16")
#else
#define DDLBENCH_UNROLL_FULLY
#endif

/// Vector types of GCC and Clang, which exist for every processor: for loops whose sums must stay in registers.
namespace ddlbench::kernels::cpu {

template <int lanes>
struct Vector {
  typedef float Floats __attribute__((vector_size(4 * lanes)));
  typedef float UnalignedFloats __attribute__((vector_size(4 * lanes), aligned(4)));
  typedef std::int32_t Integers __attribute__((vector_size(4 * lanes)));
  typedef std::uint16_t Halves __attribute__((vector_size(2 * lanes)));
  typedef std::uint8_t Bytes __attribute__((vector_size(lanes)));
};
template <int lanes>
using FloatVector = typename Vector<lanes>::Floats;
template <int lanes>
using IntegerVector = typename Vector<lanes>::Integers;

/// The number of f32 in a vector register of the processors for which this is compiled.
#if defined(__AVX512F__)
inline constexpr int vector_lanes = 16;
#elif defined(__AVX__)
inline constexpr int vector_lanes = 8;
#else
inline constexpr int vector_lanes = 4;
#endif

/// Does not use memcpy, after which GCC assumes that any float may have changed.
template <int lanes>
inline FloatVector<lanes> load_vector(const float* from) {
  return *reinterpret_cast<const typename Vector<lanes>::UnalignedFloats*>(from);
}

template <int lanes>
inline FloatVector<lanes> load_vector(const own::Bfloat16* from) {
  typename Vector<lanes>::Halves halves;
  std::memcpy(&halves, from, sizeof halves);
  return std::bit_cast<FloatVector<lanes>>(__builtin_convertvector(halves, IntegerVector<lanes>) << 16);
}

template <int lanes>
inline FloatVector<lanes> load_vector(const own::Float16* from) {
  FloatVector<lanes> values{};
  for (int l = 0; l < lanes; ++l) values[l] = own::to_f32(from[l]);
  return values;
}

template <int lanes, class T>
inline void store_vector(T* to, FloatVector<lanes> values) {
  if constexpr (std::is_same_v<T, float>) {
    *reinterpret_cast<typename Vector<lanes>::UnalignedFloats*>(to) = values;
  } else {
    float wide[lanes];
    std::memcpy(wide, &values, sizeof values);
    for (int l = 0; l < lanes; ++l) to[l] = own::from_f32<T>(wide[l]);
  }
}

/// Stores `values`, or adds them to the stored values if `accumulate`.
template <int lanes, class T>
inline void write_vector(T* to, FloatVector<lanes> values, bool accumulate) {
  store_vector<lanes>(to, accumulate ? load_vector<lanes>(to) + values : values);
}

template <int lanes>
inline IntegerVector<lanes> load_bytes(const std::uint8_t* from) {
  typename Vector<lanes>::Bytes bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return __builtin_convertvector(bytes, IntegerVector<lanes>);
}

/// Stores the lowest byte of each integer.
template <int lanes>
inline void store_bytes(std::uint8_t* to, IntegerVector<lanes> integers) {
  const auto bytes = __builtin_convertvector(integers, typename Vector<lanes>::Bytes);
  std::memcpy(to, &bytes, sizeof bytes);
}

/// Returns the sum of all lanes: adds the two halves until one lane is left.
template <int lanes>
inline float sum_of(FloatVector<lanes> values) {
  if constexpr (lanes == 1) {
    return values[0];
  } else {
    FloatVector<lanes / 2> halves[2];
    std::memcpy(halves, &values, sizeof values);
    return sum_of<lanes / 2>(halves[0] + halves[1]);
  }
}

/// Stores `values` past the caches, so that the old contents need not be read from memory first. `to` must be aligned
/// to a vector. Other threads see the values after this thread has called finish_streaming().
inline void stream(float* to, FloatVector<vector_lanes> values) {
#if defined(__AVX512F__)
  _mm512_stream_ps(to, std::bit_cast<__m512>(values));
#elif defined(__AVX__)
  _mm256_stream_ps(to, std::bit_cast<__m256>(values));
#elif defined(__SSE__)
  _mm_stream_ps(to, std::bit_cast<__m128>(values));
#else
  store_vector<vector_lanes>(to, values);
#endif
}

inline void finish_streaming() {
#if defined(__SSE__)
  _mm_sfence();
#endif
}

}  // namespace ddlbench::kernels::cpu
