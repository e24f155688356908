#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include "base/units.h"
#include "bench/page/bar_chart.h"
#include "bench/page/looks.h"
#include "bench/page/sections.h"

namespace ddlbench::bench {
namespace {

struct ClassColour {
  std::string_view name, colour;
};
constexpr std::array<ClassColour, 10> class_colours{{{"parameters", "#0072B2"},
                                                     {"gradients", "#56B4E9"},
                                                     {"optimizer_state", "#009E73"},
                                                     {"activations", "#E69F00"},
                                                     {"communication", "#D55E00"},
                                                     {"workspace", "#CC79A7"},
                                                     {"inputs", "#F0E442"},
                                                     {"packed", "var(--brown)"},
                                                     {"statistics", "var(--ink)"},
                                                     {"metrics", "var(--grey)"}}};

constexpr std::string_view bars_of_an_instant =
    "A bar has the classes at the instant of the step at which most memory is in use. The diamond is the planned peak, "
    "which has the gaps between buffers, too.";
constexpr std::string_view bars_of_peaks =
    "The diamond is the planned peak of all classes together. Classes peak at different moments, so a bar can be "
    "longer.";

std::string words_of(std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

/// The classes at the instant of the peak. Older runs have only the peak of each class.
const Counts& bytes_by_class(const RankRecord& rank) {
  return rank.at_peak_bytes.empty() ? rank.peak_bytes : rank.at_peak_bytes;
}

double sum_of_classes(const RankRecord& rank) {
  const Counts& bytes = bytes_by_class(rank);
  return std::accumulate(bytes.begin(), bytes.end(), 0.0,
                         [](double sum, const auto& peak) { return sum + static_cast<double>(peak.second); });
}

/// Returns the rank with the largest sum of classes of each case.
std::map<std::string, const RankRecord*> heaviest_ranks(const Records& records) {
  std::map<std::string, const RankRecord*> heaviest;
  for (const RankRecord& rank : records.ranks) {
    const RankRecord*& kept = heaviest[rank.case_id];
    if (kept == nullptr || sum_of_classes(rank) > sum_of_classes(*kept)) kept = &rank;
  }
  return heaviest;
}

/// Returns the classes in the order of the table above, then others.
std::vector<BarSegment> class_segments(const RankRecord& rank, const std::string& case_id) {
  std::vector<BarSegment> segments;
  const auto add = [&](const std::string& name, std::int64_t bytes, std::string_view colour) {
    segments.push_back({static_cast<double>(bytes), std::string(colour),
                        fmt::format("{}, {}: {}", case_id, words_of(name), format_exact_bytes(bytes))});
  };
  std::set<std::string_view> known;
  for (const ClassColour& one : class_colours) {
    known.insert(one.name);
    const auto found = bytes_by_class(rank).find(std::string(one.name));
    if (found != bytes_by_class(rank).end()) add(found->first, found->second, one.colour);
  }
  for (const auto& [name, bytes] : bytes_by_class(rank)) {
    if (!known.contains(name)) add(name, bytes, "var(--pale)");
  }
  return segments;
}

Html class_legend(const Records& records) {
  std::set<std::string> present;
  for (const RankRecord& rank : records.ranks) {
    for (const auto& [name, bytes] : bytes_by_class(rank)) {
      if (bytes > 0) present.insert(name);
    }
  }
  std::vector<LegendEntry> entries;
  for (const ClassColour& one : class_colours) {
    if (present.erase(std::string(one.name)) > 0)
      entries.push_back({words_of(one.name), {std::string(one.colour)}, LegendEntry::Sign::patch});
  }
  for (const std::string& name : present)
    entries.push_back({words_of(name), {"var(--pale)"}, LegendEntry::Sign::patch});
  return legend(entries);
}

}  // namespace

Html memory_section(const RunResults& results) {
  const auto heaviest = heaviest_ranks(results.records);
  BarChart chart{"Memory of the rank with the most, by class", "Each class of memory of each case.", {}, {}};
  double largest = 0;
  bool at_one_instant = true;
  for (const CaseRow& row : results.rows) {
    const auto found = heaviest.find(row.record.case_id);
    if (found == heaviest.end()) continue;
    Bar bar{describe_case(row.record),
            class_segments(*found->second, row.record.case_id),
            !results.is_ranked(row.record),
            {},
            {},
            {},
            ""};
    largest = std::max(largest, sum_of_classes(*found->second));
    at_one_instant &= !found->second->at_peak_bytes.empty();
    if (const Measurement* measured = timed_measurement(row.record)) {
      bar.diamond = static_cast<double>(measured->peak_memory_bytes);
      bar.diamond_tooltip =
          fmt::format("{}: planned peak {}", row.record.case_id, format_exact_bytes(measured->peak_memory_bytes));
      largest = std::max(largest, *bar.diamond);
    }
    chart.bars.push_back(std::move(bar));
  }
  if (chart.bars.empty()) return {};
  chart.x = axis_from_zero("Memory", byte_unit(largest), largest);
  return element("div", {{"class", "charts"}}, draw(chart)) + class_legend(results.records) +
         element("p", {{"class", "key"}},
                 html_text(std::string(at_one_instant ? bars_of_an_instant : bars_of_peaks) +
                           " Pale bars belong to cases without a place in the ranking."));
}

}  // namespace ddlbench::bench
