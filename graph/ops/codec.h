#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "graph/op.h"
#include "graph/ops/codecs/kind.h"

/// Compression of gradients: Encode makes a payload of fixed size, and Decode sums the payloads of several ranks. All
/// devices compute the same bits.
namespace ddlbench::graph {

/// (g[N][, residual f32[N]]) -> (payload u8[payload_bytes(N)][, residual f32[N]]): with v = g + residual, the payload
/// is C(v), and the new residual is v − D(C(v)), in f32. g is of any floating-point type. The residual may be updated
/// in place.
///
/// A codec that draws random numbers uses, for element e, the first 24 bits of word (e / 16) % 4 of Philox with key
/// (Scalars::seed, codec, `stream`) and counter (Scalars::step, Scalars::rank · 2⁴⁵ + e / 64 · 16 + e % 16). So each
/// Encode of a program needs its own stream.
///
/// NaN and infinity are never lost: if v has one in a group (or anywhere, without groups), D has one there, too.
struct Encode final : Op {
  Encode(Codec c, bool f, std::uint64_t s = 0) : codec(std::move(c)), feedback(f), stream(s) {}
  Codec codec;
  bool feedback;  ///< there is a residual
  std::uint64_t stream;

  std::string_view kind() const override { return "encode"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return codec.kind->encode_flops + (feedback ? 2 : 0); }
};

/// (payloads u8[parts · payload_bytes(N)]) -> (g[N]): 0 + D(payload 0) + D(payload 1) + …, in f32 and in this order,
/// rounded to `to` at the end. If it accumulates, the sum begins with the previous output instead of 0.
struct Decode final : Op {
  Decode(Codec c, std::int64_t n, int p, DType type = DType::f32)
      : codec(std::move(c)), elements(n), parts(p), to(type) {}
  Codec codec;
  std::int64_t elements;
  int parts;
  DType to;

  std::string_view kind() const override { return "decode"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops(Types inputs, Types outputs) const override;
};

}  // namespace ddlbench::graph
