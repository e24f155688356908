#include "bench/report/timeline_drawing.h"

#include <algorithm>

#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using namespace ddlbench::program;

namespace {

Instruction computation(Phase phase, int microbatch) {
  return {"compute", Compute{}, graph::Stream::compute, phase, microbatch, 0, {}};
}

/// One rank: forward of micro-batches 0 and 1, a collective, backward of 1 for inputs and for weights, update.
Plan plan() {
  Plan plan;
  plan.meshes.emplace_back();
  Role role;
  role.train.bodies.front() = {computation(Phase::forward, 0),
                               computation(Phase::forward, 1),
                               {"sum", CollectiveCall{}, graph::Stream::communication, Phase::communication, 0, 0, {}},
                               computation(Phase::backward_input, 1),
                               computation(Phase::backward_weight, 1),
                               computation(Phase::optimizer, 0)};
  plan.roles = {role};
  plan.role_of_rank = {0};
  return plan;
}

std::vector<StepTimeline> timelines() {
  using enum Activity;
  return {{0,
           5000,
           105000,
           {{input, none, 5000, 15000},
            {compute, 0, 15000, 25000},
            {compute, 1, 25000, 35000},
            {compute, 3, 35000, 55000},
            {compute, 4, 55000, 75000},
            {wait, 2, 75000, 95000},
            {compute, 5, 95000, 105000}},
           {{2, 55000, 95000}}}};
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("a timeline is drawn to scale in letters") {
  const Drawing drawing = draw(plan(), {timelines()});
  CHECK(drawing.length == 100000);
  const std::string text = timeline_text(drawing, 57, false);
  CHECK(
      text.starts_with("rank 0 iiiiiFFFFFFFFFFBBBBBBBBBBWWWWWWWWWW..........UUUUU\n"
                       "                                ====================\n"
                       "       0                                           100 us\n"));
  CHECK(text.find('\033') == std::string::npos);
}

TEST_CASE("steps that overlap are drawn as one, and their micro-batches are numbered through") {
  Plan overlapping = plan();
  overlapping.microbatches = 2;
  for (const std::size_t backward : {3, 4}) overlapping.roles[0].train.bodies.front()[backward].steps_back = 1;
  std::vector<StepTimeline> next = timelines();
  next[0].begin += 100000, next[0].end += 100000;
  for (Span& span : next[0].spans) span.begin += 100000, span.end += 100000;
  const Drawing drawing = draw(overlapping, {timelines(), next});
  CHECK(drawing.length == 200000);
  std::vector<int> forward, backward;
  for (const Stretch& stretch : drawing.rows[0].stretches) {
    if (stretch.kind == StretchKind::forward) forward.push_back(stretch.microbatch);
    if (stretch.kind == StretchKind::backward) backward.push_back(stretch.microbatch);
  }
  CHECK(forward == std::vector{0, 1, 2, 3});
  CHECK(backward == std::vector{-1, 1});
}

TEST_CASE("a drawing has the requested width, and colours change no letter") {
  const Drawing drawing = draw(plan(), {timelines()});
  const std::string plain = timeline_text(drawing, 80, false);
  CHECK(plain.substr(0, plain.find('\n')).size() == 80);
  std::string colored = timeline_text(drawing, 80, true);
  CHECK(colored != plain);
  for (auto at = colored.find('\033'); at != std::string::npos; at = colored.find('\033')) {
    colored.erase(at, colored.find('m', at) - at + 1);
  }
  CHECK(colored == plain);
}

TEST_CASE("an SVG has every stretch, the numbers of micro-batches, an axis with its unit and a legend") {
  const Drawing drawing = draw(plan(), {timelines()});
  const std::string svg = timeline_svg(drawing, "a < b & c");
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("a &lt; b &amp; c") != std::string::npos);
  CHECK(svg.find("time since the first rank began (µs)") != std::string::npos);
  CHECK(count(svg, "<rect ") == 1 + 7 + 1 + stretch_kinds);  // the background, the stretches, the transfer, the legend
  CHECK(count(svg, ">1</text>") == 3);                       // micro-batch 1: forward and both halves of backward
  for (int i = 0; i < stretch_kinds; ++i) {
    CHECK(svg.find(">" + std::string(style(static_cast<StretchKind>(i)).label) + "<") != std::string::npos);
  }
}

TEST_CASE("kinds of stretches differ in letter and in colour") {
  for (int i = 0; i < stretch_kinds; ++i) {
    for (int j = 0; j < i; ++j) {
      CHECK(style(static_cast<StretchKind>(i)).letter != style(static_cast<StretchKind>(j)).letter);
      CHECK(style(static_cast<StretchKind>(i)).color != style(static_cast<StretchKind>(j)).color);
    }
  }
}
