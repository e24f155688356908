#include "bench/case/trace_writer.h"

#include <fmt/core.h>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "base/error.h"
#include "bench/records/file.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::json;

constexpr int compute_thread = 0;

class TraceEvents {
 public:
  TraceEvents(const program::Plan& plan, std::int64_t origin) : plan_(plan), origin_(origin) {}

  void add_rank(int rank, const program::StepTimeline& timeline) {
    const program::Role& role = plan_.role(rank);
    const program::Instructions& body = program::section(role.train, program::body_section(timeline.body));
    describe("process_name", rank, compute_thread, fmt::format("rank {} ({})", rank, role.name));
    describe("thread_name", rank, compute_thread, "compute");
    for (const program::Span& span : timeline.spans) {
      if (span.activity == program::Activity::input) {
        add("input", "input", rank, compute_thread, span.begin, span.end);
        continue;
      }
      const program::Instruction& instruction = body.at(static_cast<std::size_t>(span.instruction));
      const bool waits = span.activity == program::Activity::wait;
      Json& event = add(waits ? "wait: " + instruction.name : instruction.name,
                        waits ? "wait" : std::string(program::name(instruction.phase)), rank, compute_thread,
                        span.begin, span.end);
      event["args"] = arguments(instruction);
    }
    add_transfers(rank, body, timeline.transfers);
  }

  Json take() { return {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events_)}}; }

 private:
  void add_transfers(int rank, const program::Instructions& body, std::vector<program::Transfer> transfers) {
    std::sort(transfers.begin(), transfers.end(),
              [](const program::Transfer& a, const program::Transfer& b) { return a.begin < b.begin; });
    // Events of one thread must not overlap: each transfer takes the first free thread.
    std::vector<std::int64_t> busy_until;
    for (const program::Transfer& transfer : transfers) {
      auto lane = std::find_if(busy_until.begin(), busy_until.end(),
                               [&](std::int64_t until) { return until <= transfer.begin; });
      if (lane == busy_until.end()) lane = busy_until.insert(busy_until.end(), 0);
      *lane = transfer.end;
      const int thread = compute_thread + 1 + static_cast<int>(lane - busy_until.begin());
      const program::Instruction& instruction = body.at(static_cast<std::size_t>(transfer.instruction));
      Json& event = add(instruction.name, "communication", rank, thread, transfer.begin, transfer.end);
      event["args"] = arguments(instruction);
    }
    for (std::size_t i = 0; i < std::max<std::size_t>(busy_until.size(), 1); ++i) {
      const std::string suffix = i == 0 ? "" : fmt::format(" {}", i + 1);
      describe("thread_name", rank, compute_thread + 1 + static_cast<int>(i), "communication" + suffix);
    }
  }

  Json& add(const std::string& name, const std::string& category, int rank, int thread, std::int64_t begin,
            std::int64_t end) {
    events_.push_back({{"name", name},
                       {"cat", category},
                       {"ph", "X"},
                       {"pid", rank},
                       {"tid", thread},
                       {"ts", static_cast<double>(begin - origin_) * 1e-3},
                       {"dur", static_cast<double>(end - begin) * 1e-3}});
    return events_.back();
  }

  void describe(const char* what, int rank, int thread, const std::string& name) {
    events_.push_back({{"name", what}, {"ph", "M"}, {"pid", rank}, {"tid", thread}, {"args", {{"name", name}}}});
  }

  static Json arguments(const program::Instruction& instruction) {
    return {{"microbatch", instruction.microbatch}, {"stage", instruction.stage}};
  }

  const program::Plan& plan_;
  std::int64_t origin_;
  Json events_ = Json::array();
};

}  // namespace

void write_trace(std::ostream& out, const program::Plan& plan, const std::vector<program::StepTimeline>& ranks) {
  require(ranks.size() == static_cast<std::size_t>(plan.ranks()), "a trace needs one timeline for each rank");
  std::int64_t origin = ranks.at(0).begin;
  for (const program::StepTimeline& timeline : ranks) origin = std::min(origin, timeline.begin);
  TraceEvents events(plan, origin);
  for (int rank = 0; rank < plan.ranks(); ++rank) events.add_rank(rank, ranks[static_cast<std::size_t>(rank)]);
  out << events.take().dump() << '\n';
}

void write_trace_file(const std::string& path, const program::Plan& plan,
                      const std::vector<program::StepTimeline>& ranks) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  // Does not create parent folders: a run whose output folder was removed must not recreate it.
  if (!folder.empty()) std::filesystem::create_directory(folder, error);
  if (error)
    throw InputError(fmt::format("{}: the trace's folder cannot be created: {}", folder.string(), error.message()));
  std::ostringstream text;
  write_trace(text, plan, ranks);
  write_file_atomically(path, text.str());
}

}  // namespace ddlbench::bench
