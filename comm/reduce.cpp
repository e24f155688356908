#include "comm/reduce.h"

#include <type_traits>

#include "base/error.h"
#include "base/independent.h"
#include "comm/half.h"

namespace ddlbench::comm {

namespace {

/// How a stored element is computed with.
template <class T>
struct Plain {
  using Stored = T;
  static T load(T value) { return value; }
  static T store(T value) { return value; }
};
struct BFloat16 {
  using Stored = std::uint16_t;
  static float load(Stored value) { return from_bf16(value); }
  static Stored store(float value) { return to_bf16(value); }
};
struct Float16 {
  using Stored = std::uint16_t;
  static float load(Stored value) { return from_f16(value); }
  static Stored store(float value) { return to_f16(value); }
};

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

template <class Element>
void reduce_elements(graph::Reduction reduction, void* target, const void* first, const void* second,
                     std::int64_t count) {
  using Stored = typename Element::Stored;
  auto* out = static_cast<Stored*>(target);
  const auto* a = static_cast<const Stored*>(first);
  const auto* b = static_cast<const Stored*>(second);
  if (reduction == graph::Reduction::sum) {
    DDLBENCH_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) out[i] = Element::store(add(Element::load(a[i]), Element::load(b[i])));
  } else {
    DDLBENCH_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) out[i] = Element::store(larger(Element::load(a[i]), Element::load(b[i])));
  }
}

}  // namespace

void reduce(graph::DType dtype, graph::Reduction reduction, void* target, const void* first, const void* second,
            std::int64_t count) {
  switch (dtype) {
    case graph::DType::f32:
      return reduce_elements<Plain<float>>(reduction, target, first, second, count);
    case graph::DType::bf16:
      return reduce_elements<BFloat16>(reduction, target, first, second, count);
    case graph::DType::f16:
      return reduce_elements<Float16>(reduction, target, first, second, count);
    case graph::DType::i32:
      return reduce_elements<Plain<std::int32_t>>(reduction, target, first, second, count);
    case graph::DType::i64:
      return reduce_elements<Plain<std::int64_t>>(reduction, target, first, second, count);
    case graph::DType::u8:
      return reduce_elements<Plain<std::uint8_t>>(reduction, target, first, second, count);
  }
  throw ContractError("unknown dtype");
}

}  // namespace ddlbench::comm
