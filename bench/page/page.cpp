#include "bench/page/page.h"

#include <fmt/core.h>
#include <array>

#include "base/join.h"
#include "bench/page/page_parts.h"
#include "bench/page/sections.h"
#include "bench/records/build_info.h"

namespace ddlbench::bench {
namespace {

struct PageSection {
  const char* id;
  const char* title;
  Html (*content)(const RunResults&);
  bool narrow = false;  ///< on a wide screen two such sections stand side by side
};

/// All sections of a run, in order.
constexpr std::array<PageSection, 16> page_sections{{
    {"question", "Question", question_section, true},
    {"verdict", "Verdict", verdict_section, true},
    {"cases", "Cases", table_section},
    {"seeds", "Seeds", seeds_section},
    {"rounds", "Rounds", rounds_section},
    {"ranks", "Scaling", ranks_section},
    {"weak-scaling", "Weak scaling", weak_scaling_section, true},
    {"memory", "Memory", memory_section, true},
    {"learning", "Learning", learning_section},
    {"budget", "Step budget", budget_section, true},
    {"prediction", "Prediction", prediction_section, true},
    {"schedule", "Schedule", schedule_section},
    {"utilisation", "Utilisation", utilisation_section},
    {"failures", "Failures", failures_section},
    {"environment", "Environment", environment_section},
    {"repeat", "Repeat", repeat_section},
}};

std::string experiment_of(const RunResults& results) {
  return results.rows.empty() ? results.folder : results.rows.front().record.experiment;
}

/// Returns the sections of a run, and links to them. Ids begin with `prefix`.
Html run_part(const RunResults& results, const std::string& prefix) {
  Html links, sections;
  for (const PageSection& section : page_sections) {
    const Html content = section.content(results);
    if (content.empty()) continue;
    const std::string id = prefix + section.id;
    links += element("li", element("a", {{"href", "#" + id}}, html_text(section.title)));
    sections += element("section", {{"id", id}, {"class", section.narrow ? "narrow" : "broad"}},
                        element("h2", html_text(section.title)) + content);
  }
  return element("h1", html_text(experiment_of(results))) +
         element("p", {{"class", "folder"}}, html_text(results.folder)) +
         element("nav", {{"aria-label", "Sections of " + experiment_of(results)}}, element("ul", links)) +
         element("div", {{"class", "sections"}}, sections);
}

Html head(const std::string& title) {
  return empty_element("meta", {{"charset", "utf-8"}}) +
         empty_element("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}) +
         empty_element("meta", {{"http-equiv", "Content-Security-Policy"},
                                {"content",
                                 "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
                                 "script-src 'unsafe-inline'"}}) +
         empty_element("meta", {{"name", "color-scheme"}, {"content", "light dark"}}) +
         empty_element("link", {{"rel", "icon"}, {"href", "data:,"}}) + element("title", html_text(title)) +
         element("style", page_style());
}

}  // namespace

std::string page(const std::vector<RunResults>& runs) {
  const std::string names = joined(runs, ", ", experiment_of);
  Html parts;
  for (std::size_t i = 0; i < runs.size(); ++i)
    parts += run_part(runs[i], runs.size() == 1 ? "" : fmt::format("run{}-", i + 1));
  const Html footer = element(
      "footer", html_text(fmt::format("Written by ddlbench {} from the journal of the run.", describe(build_info))));
  const Html body = element("main", parts) + footer + element("script", page_script());
  return "<!DOCTYPE html>\n" +
         element("html", {{"lang", "en"}}, element("head", head(names + " – ddlbench")) + element("body", body)).str() +
         "\n";
}

}  // namespace ddlbench::bench
