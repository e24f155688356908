#include "comm/reduce.h"

#include <type_traits>

#include "base/error.h"
#include "base/independent.h"
#include "graph/half.h"

namespace ddlbench::comm {

namespace {

template <class T>
T add(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
  } else {
    return a + b;
  }
}

template <class T>
T larger(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a < b ? b : a;
  } else {
    const T ordered = a < b ? b : a;
    return b != b ? b : ordered;
  }
}

/// Computes 16-bit floats in f32.
template <class T, class Combine>
T combined(T a, T b, const Combine& combine) {
  if constexpr (std::is_arithmetic_v<T>)
    return combine(a, b);
  else
    return graph::from_f32<T>(combine(to_f32(a), to_f32(b)));
}

template <class T>
void reduce_elements(graph::Reduction reduction, void* target, const void* first, const void* second,
                     std::int64_t count) {
  auto* out = static_cast<T*>(target);
  const auto* a = static_cast<const T*>(first);
  const auto* b = static_cast<const T*>(second);
  const auto reduce_by = [=](const auto& combine) {
    DDLBENCH_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) out[i] = combined(a[i], b[i], combine);
  };
  if (reduction == graph::Reduction::sum)
    reduce_by([](auto x, auto y) { return add(x, y); });
  else
    reduce_by([](auto x, auto y) { return larger(x, y); });
}

}  // namespace

void reduce(graph::DType dtype, graph::Reduction reduction, void* target, const void* first, const void* second,
            std::int64_t count) {
  switch (dtype) {
    case graph::DType::f32:
      return reduce_elements<float>(reduction, target, first, second, count);
    case graph::DType::bf16:
      return reduce_elements<graph::Bfloat16>(reduction, target, first, second, count);
    case graph::DType::f16:
      return reduce_elements<graph::Float16>(reduction, target, first, second, count);
    case graph::DType::i32:
      return reduce_elements<std::int32_t>(reduction, target, first, second, count);
    case graph::DType::i64:
      return reduce_elements<std::int64_t>(reduction, target, first, second, count);
    case graph::DType::u8:
      return reduce_elements<std::uint8_t>(reduction, target, first, second, count);
  }
  throw ContractError("unknown dtype");
}

}  // namespace ddlbench::comm
