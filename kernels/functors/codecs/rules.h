#pragma once

#include <type_traits>

#include "base/error.h"
#include "graph/ops/codecs/kind.h"
#include "kernels/functors/codecs/one_bit.h"
#include "kernels/functors/codecs/qsgd.h"
#include "kernels/functors/codecs/ternary.h"
#include "kernels/functors/codecs/two_bit.h"

namespace ddlbench::kernels {

/// The rules of codecs that select elements.
struct TopKRule {
  static constexpr bool of_values = true;  ///< the payload has the values, not one mean
};
struct SparseBinaryRule {
  static constexpr bool of_values = false;
};

template <class Rule>
concept Grouped = requires {
  Rule::bits;
};

/// Returns body(rule) with the rule of the codec.
auto with_rule(const graph::Codec& codec, const auto& body) {
  const std::string& name = codec.kind->name;
  if (name == "one_bit") return body(OneBitRule(codec));
  if (name == "ternary") return body(TernaryRule(codec));
  if (name == "two_bit") return body(TwoBitRule(codec));
  if (name == "top_k") return body(TopKRule());
  if (name == "sparse_binary") return body(SparseBinaryRule());
  require(name == "qsgd", "a codec has no rule");
  const auto bits = value_of<std::int64_t>(codec.options, "bits");
  if (bits == 2) return body(QsgdRule<2>(codec));
  if (bits == 4) return body(QsgdRule<4>(codec));
  return body(QsgdRule<8>(codec));
}

}  // namespace ddlbench::kernels
