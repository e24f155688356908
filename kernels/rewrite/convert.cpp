#include "kernels/rewrite/convert.h"

#include "base/error.h"
#include "kernels/cpu/parallel.h"
#include "kernels/own/storage.h"

namespace ddlbench::kernels {
namespace {

template <class T>
void widen_all(int threads, const T* narrow, float* wide, std::int64_t size) {
  cpu::parallel_for(threads, size, size, [=](std::int64_t begin, std::int64_t end) {
    DDLBENCH_INDEPENDENT
    for (std::int64_t i = begin; i < end; ++i) wide[i] = own::to_f32(narrow[i]);
  });
}

template <class T>
void narrow_all(int threads, const float* wide, T* narrow, std::int64_t size) {
  cpu::parallel_for(threads, size, size, [=](std::int64_t begin, std::int64_t end) {
    DDLBENCH_INDEPENDENT
    for (std::int64_t i = begin; i < end; ++i) narrow[i] = own::from_f32<T>(wide[i]);
  });
}

}  // namespace

void widen(int threads, graph::DType from, const void* narrow, float* wide, std::int64_t size) {
  require(is_narrow(from), "widen: elements must have 16 bits");
  if (from == graph::DType::bf16) return widen_all(threads, static_cast<const own::Bfloat16*>(narrow), wide, size);
  widen_all(threads, static_cast<const own::Float16*>(narrow), wide, size);
}

void narrow(int threads, graph::DType to, const float* wide, void* narrow, std::int64_t size) {
  require(is_narrow(to), "narrow: elements must have 16 bits");
  if (to == graph::DType::bf16) return narrow_all(threads, wide, static_cast<own::Bfloat16*>(narrow), size);
  narrow_all(threads, wide, static_cast<own::Float16*>(narrow), size);
}

}  // namespace ddlbench::kernels
