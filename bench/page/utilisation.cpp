#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <map>

#include "base/counted.h"
#include "base/units.h"
#include "bench/page/looks.h"
#include "bench/page/sections.h"
#include "bench/page/svg.h"

namespace ddlbench::bench {
namespace {

constexpr double small_width = 200;
constexpr PlotArea small_area{30, 8, small_width - 30 - 10, 62};
constexpr std::size_t most_samples = 120;  ///< of a case; neighbours are joined into their mean

struct UtilisationShare {
  const char* name;
  std::optional<double> UtilisationRecord::*ratio;
  const char* colour;
};
constexpr std::array<UtilisationShare, 3> utilisation_shares{
    {{"user", &UtilisationRecord::cpu_user_ratio, "#0072B2"},
     {"system", &UtilisationRecord::cpu_system_ratio, "#D55E00"},
     {"waiting for disks", &UtilisationRecord::cpu_iowait_ratio, "#E69F00"}}};

/// The load of the machine in an interval of time.
struct LoadSpan {
  double begin = 0, end = 0;
  std::array<double, utilisation_shares.size()> shares{};
  double gpu = 0;
};

using Samples = std::vector<const UtilisationRecord*>;

/// Returns the spans between the samples, joined so that there are at most most_samples.
std::vector<LoadSpan> load_spans(const Samples& samples) {
  std::vector<LoadSpan> spans;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (!samples[i]->cpu_user_ratio) continue;
    LoadSpan span{samples[i - 1]->elapsed_seconds,
                  samples[i]->elapsed_seconds,
                  {},
                  samples[i]->gpu_utilisation_ratio.value_or(0)};
    for (std::size_t s = 0; s < utilisation_shares.size(); ++s)
      span.shares[s] = (samples[i]->*utilisation_shares[s].ratio).value_or(0);
    spans.push_back(span);
  }
  const std::size_t stride = (spans.size() + most_samples - 1) / most_samples;
  if (stride <= 1) return spans;
  std::vector<LoadSpan> joined_spans;
  for (std::size_t first = 0; first < spans.size(); first += stride) {
    const std::size_t last = std::min(first + stride, spans.size());
    LoadSpan mean{spans[first].begin, spans[last - 1].end, {}, 0};
    const auto count = static_cast<double>(last - first);
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t s = 0; s < utilisation_shares.size(); ++s) mean.shares[s] += spans[i].shares[s] / count;
      mean.gpu += spans[i].gpu / count;
    }
    joined_spans.push_back(mean);
  }
  return joined_spans;
}

/// Returns the outline of a share, stacked on those before it.
std::string share_outline(const std::vector<LoadSpan>& spans, std::size_t share, const Axis& x, const Axis& y) {
  std::string above, below;
  for (const LoadSpan& span : spans) {
    double low = 0;
    for (std::size_t s = 0; s < share; ++s) low += span.shares[s];
    const std::string begin = coordinate(small_area.x(x, span.begin)), end = coordinate(small_area.x(x, span.end));
    const std::string bottom = coordinate(small_area.y(y, std::min(low, 1.0))),
                      top = coordinate(small_area.y(y, std::min(low + span.shares[share], 1.0)));
    above += fmt::format("{}{} {}H{}", above.empty() ? 'M' : 'L', begin, top, end);
    below = fmt::format("L{} {}H{}", end, bottom, begin) + below;
  }
  return above + below + "z";
}

std::string gpu_outline(const std::vector<LoadSpan>& spans, const Axis& x, const Axis& y) {
  std::string path;
  for (const LoadSpan& span : spans) {
    path += fmt::format("{}{} {}H{}", path.empty() ? 'M' : 'L', coordinate(small_area.x(x, span.begin)),
                        coordinate(small_area.y(y, span.gpu)), coordinate(small_area.x(x, span.end)));
  }
  return path;
}

std::string load_caption(const std::string& case_id, const Samples& samples) {
  std::int64_t resident = 0, threads = 0;
  for (const UtilisationRecord* sample : samples) {
    resident = std::max(resident, sample->resident_bytes);
    threads = std::max(threads, sample->threads);
  }
  return fmt::format("{}: at most {}, {}", case_id, format_bytes(resident), counted(threads, "thread"));
}

Html load_chart(const std::string& case_id, const Samples& samples, bool gpus) {
  const std::vector<LoadSpan> spans = load_spans(samples);
  if (spans.empty()) return {};
  const DisplayUnit unit = time_unit(spans.back().end);
  const Axis x = axis_from_zero("", unit, spans.back().end, 3);
  Axis y{"", {}, 0, 1, false, {0, 0.5, 1}};
  Html content;
  for (const double tick : y.ticks) {
    content += svg_line(small_area.left, small_area.y(y, tick), small_area.right(), small_area.y(y, tick), "grid");
    content += svg_text(small_area.left - 5, small_area.y(y, tick) + 4, y.label(tick), Anchor::end, "tick");
  }
  for (std::size_t s = 0; s < utilisation_shares.size(); ++s) {
    content += empty_element("path", {{"fill", utilisation_shares[s].colour}, {"d", share_outline(spans, s, x, y)}});
  }
  if (gpus)
    content += empty_element("path", {{"class", "line"}, {"stroke", "var(--ink)"}, {"d", gpu_outline(spans, x, y)}});
  for (const double tick : x.ticks) {
    const std::string label = tick == x.ticks.front() ? x.label(tick) + " " + unit.name : x.label(tick);
    content += svg_text(small_area.x(x, tick), small_area.bottom() + 19, label, Anchor::middle, "tick");
  }
  const std::string caption = load_caption(case_id, samples);
  return figure(caption, picture(small_width, small_area.bottom() + 24, caption,
                                 "Share of the machine's processors over the time of the case.", content));
}

Html load_legend(bool gpus) {
  std::vector<LegendEntry> entries;
  for (const UtilisationShare& share : utilisation_shares)
    entries.push_back({share.name, {share.colour}, LegendEntry::Sign::patch});
  if (gpus) entries.push_back({"GPUs busy", {"var(--ink)"}, LegendEntry::Sign::line});
  return legend(entries);
}

}  // namespace

Html utilisation_section(const RunResults& results) {
  std::map<std::string, Samples> by_case;
  bool gpus = false;
  for (const UtilisationRecord& sample : results.records.utilisation) {
    by_case[sample.case_id].push_back(&sample);
    gpus |= sample.gpu_utilisation_ratio.has_value();
  }
  Html charts;
  for (const auto& [case_id, samples] : by_case) charts += load_chart(case_id, samples, gpus);
  if (charts.empty()) return {};
  return element("div", {{"class", "charts small"}}, charts) + load_legend(gpus) +
         element("p", {{"class", "key"}},
                 html_text("Share of all cores of the machine that was busy, with all processes, from the start of "
                           "the case's process to its end."));
}

}  // namespace ddlbench::bench
