#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "program/plan.h"
#include "program/timeline.h"

namespace ddlbench::bench {

/// The kinds of stretches that a drawing shows, in the order of the legend.
enum class StretchKind : std::uint8_t {
  forward,
  backward,
  backward_weight,
  recompute,
  update,
  communicate,
  wait,
  input
};

struct StretchStyle {
  char letter;             ///< distinguishable without colour
  std::string_view color;  ///< from Okabe & Ito's palette, which colour-blind people can distinguish
  std::string_view label;
};
const StretchStyle& style(StretchKind kind);
inline constexpr int stretch_kinds = 8;

/// A stretch of time of one rank, in nanoseconds since the first rank began.
struct Stretch {
  StretchKind kind = StretchKind::wait;
  int microbatch = -1;  ///< −1: of no micro-batch
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// One or more steps of all ranks, ready to be drawn.
struct Drawing {
  struct Row {
    std::string name;
    std::vector<Stretch> stretches;  ///< of the issuing thread: in order, disjoint, equal neighbours joined
    std::vector<Stretch> transfers;  ///< messages in flight
  };
  std::vector<Row> rows;
  std::int64_t length = 0;
};

/// `steps`: by step and rank. Micro-batches are numbered through all steps.
Drawing draw(const program::Plan& plan, const std::vector<std::vector<program::StepTimeline>>& steps);

/// Returns a drawing for a terminal that is `width` columns wide. Each rank has two lines: what it does, and what it
/// has in flight. Each column shows what takes most of its time.
std::string timeline_text(const Drawing& drawing, int width, bool color);

/// Returns the same as an SVG picture, with an axis, a legend and the numbers of micro-batches.
std::string timeline_svg(const Drawing& drawing, const std::string& title);

}  // namespace ddlbench::bench
