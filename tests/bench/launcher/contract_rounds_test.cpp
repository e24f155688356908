#include "bench/launcher/contract_rounds.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <thread>

#include "catch.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// Times each visit by `milliseconds`, as if a process had run.
class FakeExecutor final : public Executor {
 public:
  Outcome run(const WorkerRequest& request, const std::string&, const Listener&) override {
    ran.push_back(request.which);
    const std::string& id = request.which.id;
    if (stop_after > 0 && ran.size() >= stop_after) signal = 15;
    std::this_thread::sleep_for(duration);
    if (id == failing) return {Status::crashed, "killed by signal 11 (SIGSEGV)", {}};
    Measurement measurement;
    const auto& times = milliseconds.at(id);
    measurement.step_seconds = 1e-3 * times[static_cast<std::size_t>(count[id]++) / 2 % times.size()];
    return {Status::ok, "", measurement};
  }
  std::string why_ended() const override { return signal == 0 ? "" : "stopped"; }
  int stop_signal() const override { return signal; }

  std::map<std::string, std::vector<double>> milliseconds;  ///< of each round, by case
  std::map<std::string, int> count;
  std::vector<Case> ran;
  std::string failing;
  std::size_t stop_after = 0;
  std::chrono::milliseconds duration{0};
  int signal = 0;
};

Participant participant(const std::string& id, int ranks, double milliseconds) {
  Participant result;
  result.which.id = id;
  result.which.ranks = ranks;
  result.which.contract_id = "c0ffee";
  result.which.seed = 1;
  result.step_seconds = milliseconds * 1e-3;
  result.collective_choices = "choices of " + id;
  return result;
}

struct RanRounds {
  Records records;
  std::string remark;
  bool by_deadline = false;
};

RanRounds run(FakeExecutor& executor, const std::vector<Participant>& participants, const Measure& measure = {},
              const Deadline& deadline = {}) {
  test::TemporaryFolder folder;
  Experiment experiment;
  experiment.measure = measure;
  RecordStore store(create_output_folder(folder / "run", "x"), "{}");
  std::ostringstream progress;
  const auto display = make_progress_display(progress, {}, true, 0);
  const RoundsEnd end = ContractRounds(experiment, participants, executor, store, *display, deadline).run();
  return {read_records(store.folder()), end.remark, end.by_deadline};
}

const std::vector<Participant> two_cases{participant("single-r1", 1, 2), participant("ddp-r2", 2, 1)};

}  // namespace

TEST_CASE("each round visits each case twice, and the baseline's second copy") {
  FakeExecutor executor;
  executor.milliseconds = {{"single-r1", {2}}, {"ddp-r2", {1}}};
  const RanRounds ran = run(executor, two_cases);
  CHECK(ran.remark.empty());
  REQUIRE(ran.records.visits.size() == 3 * 6);  // three rounds of three turns, twice
  REQUIRE(ran.records.rounds.size() == 1);
  CHECK(ran.records.rounds[0].ended_by == "precision");
  CHECK(ran.records.rounds[0].contract_id == "c0ffee");
  for (int round = 0; round < 3; ++round) {
    for (int place = 0; place < 3; ++place) {
      const VisitRecord& one = ran.records.visits[static_cast<std::size_t>(6 * round + place)];
      const VisitRecord& mirrored = ran.records.visits[static_cast<std::size_t>(6 * round + 5 - place)];
      CHECK(one.round == round + 1);
      CHECK(one.place == place + 1);
      CHECK(one.case_id == mirrored.case_id);
      CHECK(one.control == mirrored.control);
    }
  }
  const auto copies = std::count_if(ran.records.visits.begin(), ran.records.visits.end(), [](const VisitRecord& visit) {
    return visit.control && visit.case_id == "single-r1";
  });
  CHECK(copies == 6);
  CHECK(executor.ran.front().visit_steps == (executor.ran.front().id == "ddp-r2" ? 500 : 250));  // 0.5 s
  CHECK(executor.ran.front().collective_choices == "choices of " + executor.ran.front().id);
}

TEST_CASE("noisy rounds go on until the time is spent") {
  FakeExecutor executor;
  executor.milliseconds = {{"single-r1", {2, 3, 2.5, 2.2, 3.1}}, {"ddp-r2", {1, 0.6, 1.3}}};
  executor.duration = std::chrono::milliseconds(5);
  Measure measure;
  measure.visit_seconds = 0.003;
  measure.max_seconds = 0.5;
  const RanRounds ran = run(executor, two_cases, measure);
  REQUIRE(ran.records.rounds.size() == 1);
  CHECK(ran.records.rounds[0].ended_by == "max_seconds");
  CHECK(ran.records.visits.back().round >= 2);
  CHECK(ran.records.visits.back().elapsed_seconds < 2);  // rounds are expected to last as long as those before
}

TEST_CASE("rounds that cannot end in time are not begun, and a remark says so") {
  FakeExecutor executor;
  Measure measure;
  measure.max_seconds = 100;
  std::vector<Participant> slow = two_cases;
  slow[0].setup_seconds = 60;
  const RanRounds ran = run(executor, slow, measure);
  CHECK(executor.ran.empty());
  REQUIRE(ran.records.rounds.size() == 1);
  CHECK(ran.records.rounds[0].ended_by == "max_seconds");
  CHECK(ran.remark.find("measure/max_seconds (1:40 min)") != std::string::npos);
}

TEST_CASE("rounds that the deadline cuts have not ended") {
  FakeExecutor executor;
  executor.milliseconds = {{"single-r1", {2, 3, 2.5, 2.2, 3.1}}, {"ddp-r2", {1, 0.6, 1.3}}};
  executor.duration = std::chrono::milliseconds(5);
  Measure measure;
  measure.visit_seconds = 0.003;
  const auto now = std::chrono::steady_clock::now();
  const RanRounds cut = run(executor, two_cases, measure, now + std::chrono::milliseconds(500));
  CHECK(cut.by_deadline);
  CHECK(cut.remark.empty());
  CHECK_FALSE(cut.records.visits.empty());
  CHECK(cut.records.rounds.empty());
  const RanRounds none = run(executor, two_cases, measure, now);
  CHECK(none.by_deadline);
  CHECK(none.remark.find("what is left of the time limit") != std::string::npos);
  CHECK(none.records.visits.empty());
}

TEST_CASE("a case whose visit fails takes no further turns") {
  FakeExecutor executor;
  executor.milliseconds = {{"single-r1", {2}}, {"ddp-r2", {1}}};
  executor.failing = "ddp-r2";
  const RanRounds ran = run(executor, two_cases);
  int visits = 0;
  for (const VisitRecord& visit : ran.records.visits) {
    if (visit.case_id != "ddp-r2") continue;
    ++visits;
    CHECK(visit.status == Status::crashed);
    CHECK(visit.status_reason == "killed by signal 11 (SIGSEGV)");
  }
  CHECK(visits == 1);
  CHECK(ran.records.rounds.at(0).ended_by == "precision");
}

TEST_CASE("a stopped run records neither the visit that it stopped nor an end") {
  FakeExecutor executor;
  executor.milliseconds = {{"single-r1", {2}}, {"ddp-r2", {1}}};
  executor.stop_after = 4;
  const RanRounds ran = run(executor, two_cases);
  CHECK(executor.ran.size() == 4);
  CHECK(ran.records.visits.size() == 3);
  CHECK(ran.records.rounds.empty());
}

TEST_CASE("a single case is measured in rounds, too, without a copy") {
  FakeExecutor executor;
  executor.milliseconds = {{"single-r1", {2}}};
  const RanRounds ran = run(executor, {two_cases[0]});
  CHECK(ran.records.visits.size() == 6);
  CHECK(std::none_of(ran.records.visits.begin(), ran.records.visits.end(),
                     [](const VisitRecord& visit) { return visit.control; }));
}

TEST_CASE("a case that is shown to be slower and that the decision does not name leaves after three rounds") {
  FakeExecutor executor;
  executor.milliseconds = {{"single-r1", {3, 3.01}},
                           {"ddp-r2", {1, 1.1}},
                           {"zero-r2", {1.1, 1}},
                           {"tensor-r2", {2, 2.01}},
                           {"gpipe-r2", {1, 1.6}}};
  executor.duration = std::chrono::milliseconds(1);
  executor.stop_after = 60;  // in the sixth round; the time of a visit depends on the machine
  Measure measure;
  measure.warmup_steps = 0;
  measure.visit_seconds = 0;
  measure.max_seconds = 600;
  std::vector<Participant> participants;
  for (const auto& [id, times] : executor.milliseconds)
    participants.push_back(participant(id, id == "single-r1" ? 1 : 2, times[0]));
  const RanRounds ran = run(executor, participants, measure);
  REQUIRE(!ran.records.visits.empty());
  REQUIRE(ran.records.visits.back().round > 4);
  std::map<std::string, int> last;
  for (const VisitRecord& visit : ran.records.visits) last[visit.case_id] = visit.round;
  CHECK(last.at("tensor-r2") == 3);
  for (const char* stays : {"single-r1", "ddp-r2", "zero-r2", "gpipe-r2"}) CHECK(last.at(stays) > 4);
}
