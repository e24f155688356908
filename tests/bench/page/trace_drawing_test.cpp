#include "bench/page/trace_drawing.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

nlohmann::json trace_event(const char* category, int rank, int thread, double begin, double duration, int microbatch) {
  return {{"ph", "X"},   {"cat", category}, {"pid", rank},  {"tid", thread},
          {"ts", begin}, {"dur", duration}, {"name", "op"}, {"args", {{"microbatch", microbatch}, {"stage", 0}}}};
}

}  // namespace

TEST_CASE("a trace becomes a drawing, with one row for each rank") {
  const nlohmann::json trace{{"traceEvents",
                              {{{"ph", "M"}, {"name", "process_name"}, {"pid", 0}, {"tid", 0}},
                               trace_event("backward_input", 1, 0, 20, 10.5, 1),
                               trace_event("forward", 1, 0, 0, 20, 1),
                               trace_event("input", 0, 0, 0, 5, 0),
                               trace_event("communication", 0, 1, 5, 2, 0)}}};
  const Drawing drawing = drawing_of_trace(trace);
  CHECK(drawing.length == 30500);
  REQUIRE(drawing.rows.size() == 2);
  CHECK(drawing.rows[0].name == "rank 0");
  REQUIRE(drawing.rows[0].transfers.size() == 1);
  CHECK(drawing.rows[0].transfers[0].begin == 5000);
  CHECK(drawing.rows[0].stretches[0].microbatch == -1);
  REQUIRE(drawing.rows[1].stretches.size() == 2);
  CHECK(drawing.rows[1].stretches[0].kind == StretchKind::forward);
  CHECK(drawing.rows[1].stretches[1].kind == StretchKind::backward);
  CHECK(drawing.rows[1].stretches[1].microbatch == 1);
  CHECK(drawing.rows[1].stretches[1].end == 30500);
}

TEST_CASE("what is no trace of ddlbench is an error") {
  CHECK_THROWS_AS(drawing_of_trace(nlohmann::json::object()), InputError);
  CHECK_THROWS_AS(drawing_of_trace(nlohmann::json{{"traceEvents", {trace_event("dance", 0, 0, 0, 1, 0)}}}), InputError);
  CHECK_THROWS_AS(drawing_of_trace(nlohmann::json{{"traceEvents", {{{"ph", "X"}}}}}), InputError);
}
