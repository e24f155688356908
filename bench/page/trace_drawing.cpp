#include "bench/page/trace_drawing.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "program/program.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::json;
using program::Phase;

StretchKind kind_of_category(const std::string& category) {
  static const std::map<std::string, StretchKind, std::less<>> kinds{
      {std::string(program::name(Phase::forward)), StretchKind::forward},
      {std::string(program::name(Phase::backward_input)), StretchKind::backward},
      {std::string(program::name(Phase::backward_weight)), StretchKind::backward_weight},
      {std::string(program::name(Phase::recompute)), StretchKind::recompute},
      {std::string(program::name(Phase::communication)), StretchKind::communicate},
      {std::string(program::name(Phase::optimizer)), StretchKind::update},
      {"wait", StretchKind::wait},
      {"input", StretchKind::input}};
  const auto found = kinds.find(category);
  if (found == kinds.end()) throw InputError("an event of the unknown category " + category);
  return found->second;
}

std::int64_t nanoseconds(const Json& microseconds) {
  return std::llround(microseconds.get<double>() * 1e3);
}

void add_event(const Json& event, std::map<int, Drawing::Row>& rows, std::int64_t& length) {
  if (event.at("ph") != "X") return;
  const int rank = event.at("pid");
  Drawing::Row& row = rows[rank];
  row.name = fmt::format("rank {}", rank);
  Stretch stretch{kind_of_category(event.at("cat")), -1, nanoseconds(event.at("ts")), 0};
  stretch.end = stretch.begin + nanoseconds(event.at("dur"));
  length = std::max(length, stretch.end);
  const bool transfers = event.at("tid").get<int>() > 0;
  if (!transfers && stretch.kind != StretchKind::wait && stretch.kind != StretchKind::input)
    stretch.microbatch = event.at("args").at("microbatch");
  (transfers ? row.transfers : row.stretches).push_back(stretch);
}

}  // namespace

Drawing drawing_of_trace(const Json& trace) {
  std::map<int, Drawing::Row> rows;
  Drawing drawing;
  try {
    for (const Json& event : trace.at("traceEvents")) add_event(event, rows, drawing.length);
  } catch (const Json::exception& error) {
    throw InputError(std::string("not a trace of ddlbench: ") + error.what());
  }
  for (auto& [rank, row] : rows) {
    std::sort(row.stretches.begin(), row.stretches.end(),
              [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
    drawing.rows.push_back(std::move(row));
  }
  return drawing;
}

}  // namespace ddlbench::bench
