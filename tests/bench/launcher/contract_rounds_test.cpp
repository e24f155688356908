#include "bench/launcher/contract_rounds.h"

#include <algorithm>
#include <map>
#include <set>
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
    if (id == failing && failures-- > 0) return {Status::crashed, "killed by signal 11 (SIGSEGV)", {}};
    Measurement measurement;
    const auto& times = milliseconds.at(id);
    measurement.step_seconds = 1e-3 * times[static_cast<std::size_t>(count[id]++) / 2 % times.size()];
    return {Status::ok, "", measurement};
  }
  std::optional<std::int64_t> memory_of_several() const override { return memory; }
  std::vector<Outcome> run_alternately(const std::vector<CaseRun>& runs, std::chrono::milliseconds slice,
                                       const std::function<void()>&) override {
    groups.emplace_back();
    slices.push_back(slice);
    std::vector<Outcome> outcomes;
    for (const CaseRun& one : runs) {
      groups.back().insert(one.request.which.id);
      log_files.insert(one.log_file);
      outcomes.push_back(run(one.request, one.log_file, one.listener));
    }
    return outcomes;
  }
  std::string why_ended() const override { return signal == 0 ? "" : "stopped"; }
  int stop_signal() const override { return signal; }

  std::map<std::string, std::vector<double>> milliseconds;  ///< of each round, by case
  std::map<std::string, int> count;
  std::vector<Case> ran;
  std::optional<std::int64_t> memory;              ///< nothing: runs one case at a time
  std::vector<std::multiset<std::string>> groups;  ///< cases that ran at once
  std::vector<std::chrono::milliseconds> slices;   ///< of each group
  std::set<std::string> log_files;                 ///< of cases that ran at once
  std::string failing;
  int failures = 1000;
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
  result.measured.step_seconds = milliseconds * 1e-3;
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

TEST_CASE("the visits of a round run at once, in time slices, except those that cannot") {
  FakeExecutor executor;
  executor.memory = 1000;
  executor.milliseconds = {{"single-r1", {2}}, {"ddp-r2", {1}}, {"gpipe-r2", {3}}, {"slow-r2", {400}}, {"mpi-r2", {1}}};
  std::vector<Participant> participants{two_cases[0], two_cases[1], participant("gpipe-r2", 2, 3),
                                        participant("slow-r2", 2, 400), participant("mpi-r2", 2, 1)};
  for (Participant& one : participants) one.measured.memory_bytes = 100;
  participants[4].measured.why_unstoppable = "elsewhere";
  const RanRounds ran = run(executor, participants);
  const std::multiset<std::string> expected{"ddp-r2", "gpipe-r2", "single-r1", "single-r1"};
  REQUIRE(executor.groups.size() == 2 * 3);
  for (const auto& group : executor.groups) CHECK(group == expected);
  CHECK(executor.log_files.size() == 4);
  CHECK(executor.slices.front() == std::chrono::milliseconds(50));
  REQUIRE(ran.records.visits.size() == 3 * 12);
  for (std::size_t i = 0; i < ran.records.visits.size(); ++i) {
    const VisitRecord& one = ran.records.visits[i];
    const bool alone = one.case_id == "slow-r2" || one.case_id == "mpi-r2";
    CHECK(one.time_slice_seconds.has_value() == !alone);
    CHECK(one.why_alone.empty() == !alone);
    CHECK(one.place == static_cast<int>(i % 12) + 1);
    CHECK(one.case_id == ran.records.visits[i / 12 * 12 + 11 - i % 12].case_id);
  }
}

TEST_CASE("rounds in which all visits run at once visit each case once") {
  FakeExecutor executor;
  executor.memory = 1000;
  executor.milliseconds = {{"single-r1", {2}}, {"ddp-r2", {1}}};
  const RanRounds ran = run(executor, two_cases);
  CHECK(executor.groups.size() == 6);
  CHECK(ran.records.visits.size() == 6 * 3);
  CHECK(ran.records.visits.back().round == 6);
  CHECK(ran.records.rounds.at(0).ended_by == "precision");
}

TEST_CASE("where memory does not suffice for all, the largest case runs alone") {
  FakeExecutor executor;
  executor.memory = 1000;
  executor.milliseconds = {{"single-r1", {2}}, {"ddp-r2", {1}}, {"gpipe-r2", {30}}};
  std::vector<Participant> participants{two_cases[0], two_cases[1], participant("gpipe-r2", 2, 30)};
  for (Participant& one : participants) one.measured.memory_bytes = 200;
  run(executor, participants);
  REQUIRE(!executor.groups.empty());
  CHECK(executor.groups.front() == std::multiset<std::string>{"ddp-r2", "gpipe-r2", "single-r1", "single-r1"});
  CHECK(executor.slices.front() == std::chrono::milliseconds(240));
  CHECK(std::any_of(executor.ran.begin(), executor.ran.end(), [](const Case& one) { return one.visit_steps == 960; }));

  executor.groups.clear();
  participants[2].measured.memory_bytes = 201;
  run(executor, participants);
  REQUIRE(!executor.groups.empty());
  CHECK(executor.groups.front() == std::multiset<std::string>{"ddp-r2", "single-r1", "single-r1"});

  executor.groups.clear();
  Measure measure;
  measure.time_slices = false;
  const RanRounds ran = run(executor, participants, measure);
  CHECK(executor.groups.empty());
  CHECK(ran.records.visits.size() == 3 * 8);
}

TEST_CASE("a case that fails beside others runs alone from then on, and leaves if it fails again") {
  FakeExecutor executor;
  executor.memory = 1000;
  executor.milliseconds = {{"single-r1", {2}}, {"ddp-r2", {1}}, {"gpipe-r2", {3}}};
  executor.failing = "ddp-r2";
  SECTION("again") {}
  SECTION("not again") {
    executor.failures = 1;
  }
  const RanRounds ran = run(executor, {two_cases[0], two_cases[1], participant("gpipe-r2", 2, 3)});
  REQUIRE(executor.groups.size() >= 2);
  CHECK(executor.groups[0].contains("ddp-r2"));
  CHECK(executor.groups[1] == std::multiset<std::string>{"gpipe-r2", "single-r1", "single-r1"});
  std::vector<std::string> why;
  for (const VisitRecord& visit : ran.records.visits) {
    if (visit.case_id == "ddp-r2") why.push_back(visit.why_alone);
  }
  REQUIRE(why.size() >= 2);
  CHECK(why[0].empty());
  CHECK(std::all_of(why.begin() + 1, why.end(),
                    [](const std::string& one) { return one == "it failed beside the others"; }));
  CHECK((why.size() == 2) == (executor.failures > 0));
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
  slow[0].measured.setup_seconds = 60;
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
