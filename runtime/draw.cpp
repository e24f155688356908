#include "runtime/draw.h"

#include <cmath>
#include <numbers>

#include "graph/random.h"
#include "runtime/box.h"

namespace ddlbench::runtime {
namespace {

float value_at(const graph::Initializer& initializer, std::uint64_t key, std::int64_t element) {
  if (initializer.kind == graph::Initializer::Kind::constant) return initializer.a;
  const graph::Philox words = graph::philox(key, 0, static_cast<std::uint64_t>(element));
  const double u = graph::unit_float(words.v[0]);
  if (initializer.kind == graph::Initializer::Kind::uniform) {
    return static_cast<float>(initializer.a + (static_cast<double>(initializer.b) - initializer.a) * u);
  }
  const double angle = 2 * std::numbers::pi * graph::unit_float(words.v[1]);
  const double standard = std::sqrt(-2 * std::log(1 - u)) * std::cos(angle);  // 1 − u is never 0
  return static_cast<float>(initializer.a + initializer.b * standard);
}

}  // namespace

void draw(const program::HeldState& held, std::uint64_t seed, float* host) {
  const program::StateShard& shard = *held.shard;
  const std::string& name = shard.drawn_as.empty() ? shard.tensor : shard.drawn_as;
  const std::uint64_t key = graph::random_key(seed, graph::Purpose::initialization, name);
  const auto fill = [&](std::int64_t whole, std::int64_t part, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) host[part + i] = value_at(shard.initializer, key, whole + i);
  };
  for_each_run(shard.whole.shape, shard.box, held.elements, fill);
}

}  // namespace ddlbench::runtime
