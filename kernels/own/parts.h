#pragma once

#include "graph/ops/shape.h"

#include <cstdint>

#include "kernels/own/bind.h"
#include "kernels/own/divider.h"
#include "kernels/sizes/flat.h"

/// Copies between a tensor and its parts, of any type, in the widest pieces that divide both sides.
namespace ddlbench::kernels::own {

/// A tensor seen as [outer, units, unit_bytes]. Parts consist of whole units.
struct UnitSizes {
  std::int64_t outer, units, unit_bytes;
};

inline UnitSizes units_of(const PartsSizes& z) {
  const std::int64_t line = z.around.inner * z.element_bytes, units = z.around.size / z.unit;
  if (units != 0 && units % z.parts == 0) return {z.around.outer, z.parts, units / z.parts * z.unit * line};
  return {z.around.outer, units, z.unit * line};
}

/// Returns the size in bytes of the widest piece that divides a unit and is aligned at both addresses.
inline int piece_bytes(std::int64_t unit_bytes, const void* a, const void* b) {
  const auto at = static_cast<std::uint64_t>(unit_bytes) | reinterpret_cast<std::uintptr_t>(a) |
                  reinterpret_cast<std::uintptr_t>(b);
  int bytes = bytes_per_vector;
  while (at % static_cast<std::uint64_t>(bytes) != 0) bytes /= 2;
  return bytes;
}

/// Calls body(Piece{}) with a type of this size.
void with_piece(int bytes, const auto& body) {
  if (bytes == 16) return body(Pack<std::uint32_t, 4>{});
  if (bytes == 8) return body(Pack<std::uint32_t, 2>{});
  if (bytes == 4) return body(std::uint32_t{});
  if (bytes == 2) return body(std::uint16_t{});
  body(std::uint8_t{});
}

/// Copies from the whole tensor to blocks, one for each part (graph::part_of), or back if not `splits`.
template <class Piece, bool splits>
struct PartsBody {
  Divider units, unit;      ///< units per row, and pieces per unit
  Divider longer, shorter;  ///< units in each of the first parts, and in each of the others
  std::int64_t outer, longer_parts;
  const Piece* from;
  Piece* to;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, outer * units.divisor() * unit.divisor(), [&](std::int64_t whole) {
      const std::int64_t place = unit.quotient(whole), row = units.quotient(place);
      const std::int64_t column = place - row * units.divisor(), longer_end = longer_parts * longer.divisor();
      const bool is_longer = column < longer_end;
      const std::int64_t size = is_longer ? longer.divisor() : shorter.divisor();
      const std::int64_t within = is_longer ? longer.remainder(column) : shorter.remainder(column - longer_end);
      const std::int64_t begin = column - within;
      const std::int64_t block_unit = begin * outer + row * size + within;
      const std::int64_t block = block_unit * unit.divisor() + whole - place * unit.divisor();
      to[splits ? block : whole] = from[splits ? whole : block];
    });
  }
};

template <class Piece>
struct SliceBody {
  Divider part;                     ///< pieces per row of the part
  std::int64_t outer, offset, row;  ///< offset and row length of the whole, in pieces
  const Piece* from;
  Piece* to;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, outer * part.divisor(), [&](std::int64_t i) {
      const std::int64_t o = part.quotient(i);
      to[i] = from[o * row + offset + i - o * part.divisor()];
    });
  }
};

template <bool splits, class Launcher>
std::unique_ptr<Kernel> bind_parts(const Binding& binding, const PartsSizes& z, const Launcher& launcher,
                                   const char* name) {
  const UnitSizes u = units_of(z);
  return make_kernel(binding, [=](const Arguments& a) {
    if (u.outer * u.units * u.unit_bytes == 0) return;
    const int bytes = piece_bytes(u.unit_bytes, a.inputs[0], a.outputs[0]);
    with_piece(bytes, [&](auto piece) {
      using Piece = decltype(piece);
      const std::int64_t shorter = u.units / z.parts, pieces = u.unit_bytes / bytes;
      const PartsBody<Piece, splits> body{
          Divider(u.units), Divider(pieces),   Divider(shorter + 1),  divider_of(shorter),
          u.outer,          u.units % z.parts, input_of<Piece>(a, 0), output_of<Piece>(a, 0)};
      launcher.items(name, u.outer * u.units * pieces, body);
    });
  });
}

std::unique_ptr<Kernel> bind_split_parts(const Binding& binding, const auto& launcher) {
  return bind_parts<true>(binding, sizes_of_split_parts(binding), launcher, "split_parts");
}

std::unique_ptr<Kernel> bind_join_parts(const Binding& binding, const auto& launcher) {
  return bind_parts<false>(binding, sizes_of_join_parts(binding), launcher, "join_parts");
}

std::unique_ptr<Kernel> bind_slice(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_slice(binding);
  const auto extent = z.part(attributes_of<graph::Slice>(binding).index);
  const std::int64_t line = z.around.inner * z.element_bytes, unit_bytes = z.unit * line;
  return make_kernel(binding, [=](const Arguments& a) {
    if (z.around.outer * extent.size() * line == 0) return;
    const int bytes = piece_bytes(unit_bytes, a.inputs[0], a.outputs[0]);
    with_piece(bytes, [&](auto piece) {
      using Piece = decltype(piece);
      const std::int64_t part = extent.size() * line / bytes;
      const SliceBody<Piece> body{
          Divider(part),         z.around.outer,        extent.begin * line / bytes, z.around.size * line / bytes,
          input_of<Piece>(a, 0), output_of<Piece>(a, 0)};
      launcher.items("slice", z.around.outer * part, body);
    });
  });
}

}  // namespace ddlbench::kernels::own
