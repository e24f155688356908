#include "bench/command/earlier_run.h"

#include "../record_fixtures.h"
#include "bench/records/store.h"
#include "catch.h"
#include "platform/host_name.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

const std::string measured_as = R"({"measure": {"steps": 5}})";

CaseRecord row(const std::string& id, const std::string& strategy) {
  CaseRecord record = test::finished_case(strategy, 2, 1, 0);
  record.case_id = id;
  record.transport = "threads";
  record.device = "cpu";
  record.host = platform::host_name();
  return record;
}

/// Writes a run of the experiment "tiny". `ends` are the times of each case's samples, `visit` that of a visit of each.
void write_run(const std::string& folder, const std::string& config, const std::vector<CaseRecord>& rows,
               const std::vector<double>& ends, double visit = 0) {
  RecordStore store(create_output_folder(folder, "tiny"), config);
  for (const CaseRecord& one : rows) {
    for (const double end : ends) {
      UtilisationRecord sample;
      sample.case_id = one.case_id;
      sample.elapsed_seconds = end;
      store.add(sample);
    }
    store.add(one);
    VisitRecord turn;
    turn.case_id = one.case_id;
    turn.duration_seconds = visit;
    store.add(turn);
  }
}

Experiment tiny() {
  Experiment experiment;
  experiment.name = "tiny";
  experiment.resolved = measured_as;
  return experiment;
}

Case of(const CaseRecord& record) {
  Case which;
  which.contract_id = record.contract_id;
  which.strategy.label = record.strategy;
  which.ranks = record.ranks;
  which.threads_per_rank = record.threads_per_rank;
  return which;
}

}  // namespace

TEST_CASE("the latest run of the same cases and measurement tells how long they took") {
  const test::TemporaryFolder folder;
  const CaseRecord ddp = row("001-ddp-r2", "ddp"), zero = row("002-zero-r2", "zero");
  CHECK(!find_earlier_run(tiny(), {of(ddp)}, folder / "none"));
  write_run(folder / "tiny-20260101T000000Z", measured_as, {ddp, zero}, {0, 1, 2.5});
  write_run(folder / "tiny-20260102T000000Z", measured_as, {ddp}, {0, 2, 4, 0.5, 3}, 10);  // two processes
  write_run(folder / "tiny-20260103T000000Z", R"({"measure": {"steps": 6}})", {ddp, zero}, {0, 100});
  write_run(folder / "other-20260104T000000Z", measured_as, {ddp, zero}, {0, 100});
  write_run(folder / "tiny-20260105T000000Z", "no JSON", {ddp, zero}, {0, 100});

  const auto both = find_earlier_run(tiny(), {of(ddp), of(zero)}, folder.path());
  REQUIRE(both);
  CHECK(both->folder == folder / "tiny-20260101T000000Z");
  CHECK(both->seconds == Approx(5));
  const auto one = find_earlier_run(tiny(), {of(ddp)}, folder.path());
  REQUIRE(one);
  CHECK(one->folder == folder / "tiny-20260102T000000Z");
  CHECK(one->seconds == Approx(17));
}

TEST_CASE("a run counts only if the cases ended well, were timed, and are the same work on this machine") {
  const CaseRecord good = row("001-ddp-r2", "ddp");
  std::vector<CaseRecord> others(6, good);
  others[0].status = Status::failed;
  others[1].measurement->repetitions = 0;
  others[2].contract_id = "another";
  others[3].ranks = 3;
  others[4].host = "elsewhere";
  others[5].transport = "mpi";
  for (std::size_t i = 0; i < others.size(); ++i) {
    INFO(i);
    const test::TemporaryFolder folder;
    write_run(folder / "tiny-1", measured_as, {others[i]}, {0, 1});
    CHECK(!find_earlier_run(tiny(), {of(good)}, folder.path()));
  }
  const test::TemporaryFolder folder;
  write_run(folder / "tiny-1", measured_as, {good}, {0, 1});
  CHECK(find_earlier_run(tiny(), {of(good)}, folder.path()));
  Experiment certificates = tiny();
  certificates.derived.certificates_only = true;
  CHECK(!find_earlier_run(certificates, {of(good)}, folder.path()));
}
