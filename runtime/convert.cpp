#include "runtime/convert.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "kernels/convert.h"

namespace ddlbench::runtime {

namespace {

constexpr int threads = 1;

}  // namespace

bool is_float(graph::DType dtype) {
  return dtype == graph::DType::f32 || kernels::is_narrow(dtype);
}

void widen(graph::DType from, const void* stored, std::int64_t count, float* values) {
  require(is_float(from), std::string(graph::name(from)) + " has no values that are read as f32");
  if (from == graph::DType::f32)
    std::copy_n(static_cast<const float*>(stored), count, values);
  else
    kernels::widen(threads, from, static_cast<const std::uint16_t*>(stored), values, count);
}

void narrow(graph::DType to, const float* values, std::int64_t count, void* stored) {
  require(is_float(to), std::string(graph::name(to)) + " has no values that are written as f32");
  if (to == graph::DType::f32)
    std::copy_n(values, count, static_cast<float*>(stored));
  else
    kernels::narrow(threads, to, values, static_cast<std::uint16_t*>(stored), count);
}

}  // namespace ddlbench::runtime
