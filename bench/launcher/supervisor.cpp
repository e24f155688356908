#include "bench/launcher/supervisor.h"

#include <signal.h>

#include <fmt/core.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/printable.h"
#include "base/stopwatch.h"
#include "base/units.h"
#include "bench/case/checkpoint_files.h"
#include "bench/config/variants.h"
#include "bench/launcher/case_description.h"
#include "bench/launcher/case_durations.h"
#include "bench/launcher/contract_progress.h"
#include "bench/launcher/contract_rounds.h"
#include "bench/launcher/reference_files.h"
#include "bench/launcher/remaining_time.h"
#include "bench/launcher/target_watch.h"
#include "bench/records/store.h"
#include "bench/records/timed_cases.h"
#include "bench/report/certificates.h"
#include "bench/report/ranking.h"
#include "bench/report/results.h"

namespace ddlbench::bench {

namespace {

using Clock = std::chrono::steady_clock;

std::vector<PlannedCase> planned(const std::vector<Case>& cases) {
  std::vector<PlannedCase> plan;
  for (const Case& which : cases) plan.push_back({which.id, which.contract_id, which.seed, which.ranks});
  return plan;
}

/// Returns whether the records lack this plan. A resumed run has another one if accepted changes gave cases other
/// contracts.
bool is_new(const std::vector<PlannedCase>& plan, const Records& records) {
  const auto same = [](const PlannedCase& a, const PlannedCase& b) {
    return a.case_id == b.case_id && a.contract_id == b.contract_id;
  };
  return !std::equal(plan.begin(), plan.end(), records.planned.begin(), records.planned.end(), same);
}

/// Returns whether a case failed. Where only certificates are asked for, a case without one has failed, too.
bool has_failed(const Experiment& experiment, const CaseRecord& record) {
  const bool lacks_certificate =
      record.status == Status::ok && record.measurement && !record.measurement->certificate_update;
  return is_failure(record) || (experiment.derived.certificates_only && lacks_certificate);
}

KeptCases kept_cases(const Records& records, Retry retry) {
  KeptCases kept;
  for (const CaseRecord& record : records.cases) {
    if (!is_retried(record, retry)) kept[record.case_id] = record;
  }
  return kept;
}

std::vector<Case> without(const std::vector<Case>& cases, const KeptCases& kept) {
  std::vector<Case> others;
  std::copy_if(cases.begin(), cases.end(), std::back_inserter(others),
               [&](const Case& which) { return !kept.contains(which.id); });
  return others;
}

std::optional<std::int64_t> last_epoch(const std::vector<EpochRecord>& epochs, const std::string& case_id) {
  std::optional<std::int64_t> last;
  for (const EpochRecord& record : epochs) {
    if (record.case_id == case_id) last = std::max<std::int64_t>(last.value_or(0), record.epoch);
  }
  return last;
}

/// The time that a case needs until its model is compiled. What follows, above all the certificate and choices of
/// kernels, its visits do not repeat.
class SetupTime {
 public:
  void enter(const std::string& phase) {
    const Clock::time_point now = Clock::now();
    if (counts_) seconds_ += std::chrono::duration<double>(now - since_).count();
    since_ = now;
    counts_ = phase == "prepare" || phase == "compile";
  }
  double seconds() const { return seconds_; }

 private:
  bool counts_ = true;
  double seconds_ = 0;
  Clock::time_point since_ = Clock::now();
};

/// One run of an experiment.
class Supervisor {
 public:
  Supervisor(const Experiment& experiment, const RunRequest& request, Executor& executor, RecordStore& store,
             ProgressDisplay& display, ReferenceFiles& references, const std::vector<Case>& cases, KeptCases kept)
      : experiment_(experiment),
        request_(request),
        executor_(executor),
        store_(store),
        display_(display),
        references_(references),
        participants_(cases),
        compared_(cases),
        kept_(std::move(kept)),
        rounds_kept_(contracts_with_rounds(store.records())),
        durations_(request.work),
        remaining_(without(cases, kept_), experiment.longest_rounds_seconds(), durations_) {}

  void run(const Case& which) {
    const Experiment& experiment = experiment_of(which);
    const auto kept = kept_.find(which.id);
    const CaseRecord record = kept != kept_.end() ? kept->second : ended(experiment, which);
    if (has_failed(experiment, record)) ++failures_;
    participants_.note(which, record);
    if (participants_.complete(which)) {
      const auto begin = Clock::now();
      if (!rounds_kept_.contains(which.contract_id)) run_rounds(experiment, which);
      remaining_.end_rounds(which.contract_id, seconds_since(begin));
    }
    store_.settle(compared_.end(which));
  }

  const std::vector<std::string>& remarks() const { return remarks_; }
  /// Returns whether a case or a round was not started because it could not end before the deadline.
  bool reached_time_limit() const { return reached_time_limit_; }

 private:
  /// Runs a case to its end, with further attempts if it loses a rank.
  CaseRecord ended(const Experiment& experiment, const Case& which) {
    for (int attempts_left = request_.retries;; --attempts_left) {
      const bool is_first = attempts_left == request_.retries;
      if (is_first) remaining_.end_case(which);
      CaseRecord record = attempt(experiment, which, is_first);
      const bool again = record.status == Status::lost_rank && has_infrastructure_failure(record) &&
                         attempts_left > 0 && executor_.why_ended().empty();
      if (again) continue;
      if (attempts_) references_.end(which);
      return record;
    }
  }

  CaseRecord attempt(const Experiment& experiment, const Case& which, bool is_first) {
    CaseRecord record = describe_case(experiment, which);
    attempts_.reset();
    const auto begin = Clock::now();
    TargetWatch target(experiment_.training.target);
    const Outcome outcome = outcome_of(experiment, which, is_first, target);
    remove_stop_file();
    record.status = outcome.status;
    record.status_reason = outcome.reason;
    record.measurement = outcome.measurement;
    if (record.measurement && record.measurement->trace_failure)
      record.status_reason = "the trace of a step could not be written: " + *record.measurement->trace_failure;
    if (outcome.log_is_incomplete && record.status_reason.empty())
      record.status_reason = "its log could not be written";
    record.seconds_to_target = target.seconds();
    record.epochs_to_target = target.epochs();
    record.steps_to_target = target.steps();
    if (is_unexpected(record) && record.expect != "ok") {
      record.status_reason = fmt::format("{} was expected{}", record.expect,
                                         record.status_reason.empty() ? "" : ": " + record.status_reason);
    }
    record.attempts = attempts_;
    if (attempts_) record.setup_seconds = setup_.seconds();
    const double seconds = seconds_since(begin);
    if (attempts_ && record.status == Status::ok && resumed_step_ == 0) durations_.note(which.id, seconds);
    store_.add(record);
    if (attempts_) store_.update_tables();  // many cases may be skipped at once; the tables follow at the end
    display_.end_case(record, seconds, remaining_.seconds());
    return record;
  }

  /// Returns the experiment for the case's variant. The last one is kept, because most cases of a variant are
  /// consecutive.
  const Experiment& experiment_of(const Case& which) {
    if (!of_variant_ || variant_ != which.variant) {
      of_variant_ = of_case(experiment_, which);
      variant_ = which.variant;
    }
    return *of_variant_;
  }

  Outcome outcome_of(const Experiment& experiment, const Case& which, bool is_first, TargetWatch& target) {
    if (!which.unsupported.empty()) return {Status::unsupported, which.unsupported, {}};
    if (const std::string why = executor_.why_ended(); !why.empty()) return {Status::skipped, why, {}};
    if (request_.max_failures && failures_ >= *request_.max_failures) {
      return {Status::skipped, fmt::format("--max-failures {} was reached", *request_.max_failures), {}};
    }
    if (!which.out_of_memory.empty()) return {Status::out_of_memory, which.out_of_memory, {}};
    if (const std::string why = why_too_late(which); !why.empty()) {
      reached_time_limit_ = true;
      return {Status::skipped, why, {}};
    }
    require_space(store_.folder());
    display_.begin_case(which.id, is_first);
    Case running = which;
    resumed_step_ = continue_training(experiment, running, target);
    attempts_ = store_.begin_case(which.id, resumed_step_);
    rounds_kept_.erase(which.contract_id);
    setup_ = {};
    running.reference_file = references_.file_for(which);
    return executor_.run({experiment, running, store_.trace_file(which.id)}, store_.log_file(which.id),
                         {[&](const Message& message) { keep(which.id, target, message); },
                          [&](const UtilisationRecord& sample) {
                            store_.add(sample);
                            display_.tick();
                          },
                          [&](int rank, const std::string& host) {
                            const bool alone = experiment.devices.ranks_are_processes();
                            store_.place(host, rank, alone ? 1 : which.ranks);
                          }});
  }

  /// Lets the case save a checkpoint when the run is stopped, and continue from that of an earlier attempt in this
  /// folder, if it saves any. Returns the steps before that checkpoint, and tells `target` of validations before it.
  std::int64_t continue_training(const Experiment& experiment, Case& running, TargetWatch& target) {
    const CheckpointSettings& checkpoint = experiment.training.checkpoint;
    if (checkpoint.save.empty()) return 0;
    running.stop_file = stop_file();
    remove_stop_file();
    if (store_.attempts(running.id) == 0) return 0;
    const Records records = read_records(store_.folder());
    const std::int64_t epochs = last_epoch(records.epochs, running.id).value_or(epochs_before(checkpoint));
    const auto point = newest_checkpoint(checkpoint.save, running.id, running.contract_id, remarks_, epochs);
    if (!point) {
      remarks_.push_back(
          fmt::format("{}: {} has no checkpoint from which it can continue; it trains from its first step", running.id,
                      checkpoint.save));
      return 0;
    }
    running.resume_from = point->path;
    target.note_earlier(records, running.id, point->steps);
    return point->steps;
  }

  std::string stop_file() const { return store_.folder() + "/stop"; }
  void remove_stop_file() const {
    std::error_code none;
    std::filesystem::remove(stop_file(), none);
  }

  /// Returns why the case cannot end before the deadline, as far as that is known; empty if it can.
  std::string why_too_late(const Case& which) const {
    const double left = seconds_until(request_.deadline);
    if (left <= 0) return "the time limit was reached";
    const double expected = durations_.expected(which.id).value_or(0);
    if (expected <= left) return "";
    return fmt::format("would take about {}, but the time limit is reached in {}", format_duration(expected),
                       format_duration(left));
  }

  void keep(const std::string& case_id, TargetWatch& target, const Message& message) {
    if (const auto* alive = std::get_if<Alive>(&message)) {
      setup_.enter(alive->phase);
      display_.phase(alive->phase, alive->fraction);
    } else if (const auto* epoch = std::get_if<EpochRecord>(&message)) {
      keep_validation(case_id, target, *epoch);
    } else if (const auto* validation = std::get_if<ValidationRecord>(&message)) {
      keep_validation(case_id, target, *validation);
    } else if (const auto* rank = std::get_if<RankRecord>(&message)) {
      RankRecord record = *rank;
      record.case_id = case_id;
      store_.add(record);
    }
  }

  void keep_validation(const std::string& case_id, TargetWatch& target, auto record) {
    record.case_id = case_id;
    target.note(record);
    store_.add(record);
  }

  void run_rounds(const Experiment& experiment, const Case& last) {
    std::vector<Participant> participants = participants_.take(last.contract_id);
    if (!experiment.has_rounds() || participants.empty() || !executor_.why_ended().empty()) return;
    ContractRounds rounds(experiment_, std::move(participants), executor_, store_, display_, request_.deadline);
    const RoundsEnd end = rounds.run();
    store_.update_tables();
    if (!end.remark.empty()) remarks_.push_back(fmt::format("contract {}: {}", last.contract_id, end.remark));
    reached_time_limit_ |= end.by_deadline;
  }

  const Experiment& experiment_;
  const RunRequest& request_;
  Executor& executor_;
  RecordStore& store_;
  ProgressDisplay& display_;
  ReferenceFiles& references_;
  Participants participants_;
  ComparedContracts compared_;
  const KeptCases kept_;
  std::set<std::string> rounds_kept_;  ///< contracts whose rounds an earlier start of the run has
  CaseDurations durations_;
  RemainingTime remaining_;
  SetupTime setup_;                ///< of the running case
  std::optional<int> attempts_;    ///< likewise; empty if it was not started
  std::int64_t resumed_step_ = 0;  ///< likewise
  std::vector<std::string> remarks_;
  std::optional<Experiment> of_variant_;
  int variant_ = 0;  ///< the variant of `of_variant_`
  int failures_ = 0;
  bool reached_time_limit_ = false;
};

std::string report(const Experiment& experiment, const TimedCases& timed, const Records& all,
                   const std::string& folder) {
  const std::vector<Ranking> rankings = rank_cases(timed, all);
  return format_missing(rankings, all, folder) +
         (experiment.derived.certificates_only ? format_certificates(timed.cases()) : format_results(rankings));
}

}  // namespace

int run_experiment(const Experiment& experiment, const std::vector<Case>& cases, const RunRequest& request,
                   Executor& executor, std::ostream& out, std::ostream& err) {
  RecordStore store = request.resumption
                          ? RecordStore(*request.resumption)
                          : RecordStore(create_output_folder(request.output, experiment.name), request.resolved_config);
  KeptCases kept = kept_cases(store.records(), request.retry);
  const auto runnable = std::count_if(cases.begin(), cases.end(),
                                      [&](const Case& which) { return which.can_run() && !kept.contains(which.id); });
  const auto display = make_progress_display(err, request.terminal, request.quiet, static_cast<int>(runnable));
  ReferenceFiles references(store.folder() + "/reference", cases, kept);
  Supervisor supervisor(experiment, request, executor, store, *display, references, cases, std::move(kept));
  std::string lost;
  try {
    if (const std::vector<PlannedCase> plan = planned(cases); is_new(plan, store.records())) {
      store.plan(plan, {experiment.derived.certificates_only, experiment.has_rounds(), request.shard});
    }
    for (const Case& which : cases) supervisor.run(which);
    store.update_tables();
  } catch (const InputError& error) {  // a full disk, or a folder that was removed: what the journal holds remains
                                       // valid
    lost = error.what();
  }
  display->end();

  for (const std::string& remark : supervisor.remarks()) err << "ddlbench: " << printable(remark) << '\n';
  Records all;
  try {
    all = store.read_all(request.summary ? RecordStore::Rows::read : RecordStore::Rows::left_out);
  } catch (const InputError& error) {
    if (lost.empty()) lost = error.what();
    all = store.records();
  }
  const TimedCases timed(all);
  if (request.summary) {
    out << request.summary(store.folder(), all) << std::flush;
  } else {
    out << report(experiment, timed, all, store.folder()) << "\nrecords: " << printable(store.folder()) << '\n'
        << std::flush;
  }
  if (!lost.empty()) {
    err << "ddlbench: the results could not be written, and the run ends here: " << printable(lost)
        << "; fix this, or name another folder with --output\n";
    return 4;
  }
  const int signal = supervisor.reached_time_limit() ? SIGALRM : executor.stop_signal();
  if (signal != 0) return 128 + signal;
  const auto failed = [&](const CaseRecord& record) { return has_failed(experiment, record); };
  return std::any_of(timed.cases().begin(), timed.cases().end(), failed) ? 1 : 0;
}

}  // namespace ddlbench::bench
