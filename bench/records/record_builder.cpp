#include "bench/records/record_builder.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/error.h"
#include "bench/records/record_json.h"

namespace ddlbench::bench {

bool RecordBuilder::take_reordered() {
  return std::exchange(reordered_, false);
}

int RecordBuilder::attempts(const std::string& case_id) const {
  const auto found = started_.find(case_id);
  return found == started_.end() ? 0 : records_.started[found->second].attempts;
}

/// Cases that are not planned come last.
std::size_t RecordBuilder::position(const std::string& case_id) const {
  const auto found = positions_.find(case_id);
  return found == positions_.end() ? positions_.size() : found->second;
}

const std::string& RecordBuilder::contract_of(const std::string& case_id) const {
  static const std::string unknown;
  const auto found = positions_.find(case_id);
  return found == positions_.end() ? unknown : records_.planned[found->second].contract_id;
}

template <class Record>
void RecordBuilder::insert(std::vector<Record>& records, Record record, const Forgotten& forgotten) {
  const std::size_t place = position(record.case_id);
  const auto is_before = [this](std::size_t wanted, const Record& other) { return wanted < position(other.case_id); };
  const bool is_last = records.empty() || !is_before(place, records.back());
  reordered_ |= forgotten.any && place < forgotten.last;
  const auto at = is_last ? records.end() : std::upper_bound(records.begin(), records.end(), place, is_before);
  reordered_ |= !is_last;
  records.insert(at, std::move(record));
}

template <class Record>
void RecordBuilder::forget(std::vector<Record>& records, Forgotten& forgotten) {
  if (records.empty()) return;
  forgotten = {true, position(records.back().case_id)};
  records.clear();
  records.shrink_to_fit();
}

void RecordBuilder::forget_rows() {
  forget(records_.epochs, epochs_);
  forget(records_.validations, validations_);
  forget(records_.ranks, ranks_);
  forget(records_.utilisation, utilisation_);
}

template <class Record, class Condition>
void RecordBuilder::erase(std::vector<Record>& records, const Condition& condition) {
  reordered_ |= std::erase_if(records, condition) > 0;
}

void RecordBuilder::plan(const JournalEntry& entry) {
  records_.planned.clear();
  positions_.clear();
  records_.certificates_only = entry.record.at("certificates_only");
  for (const auto& one : entry.record.at("cases")) {
    positions_[one.at(0)] = records_.planned.size();
    records_.planned.push_back({one.at(0), one.at(1)});
  }
}

void RecordBuilder::start(const StartedCase& started) {
  const auto [place, is_first] = started_.try_emplace(started.case_id, records_.started.size());
  if (is_first) {
    records_.started.push_back(started);
    return;
  }
  StartedCase& earlier = records_.started[place->second];
  earlier = {started.case_id, started.time_utc, started.resumed_step, earlier.attempts + 1};
  const auto is_of_case = [&](const auto& record) { return record.case_id == started.case_id; };
  const auto is_repeated = [&](const auto& record) {
    const std::optional<std::int64_t> step = record.step;
    return is_of_case(record) && (!step || *step >= started.resumed_step);
  };
  erase(records_.cases, is_of_case);
  erase(records_.epochs, is_repeated);
  erase(records_.validations, is_repeated);
  erase(records_.ranks, is_of_case);
  erase(records_.utilisation, is_of_case);
  for (const Forgotten* one : {&epochs_, &validations_, &ranks_, &utilisation_}) reordered_ |= one->any;
  start_rounds(contract_of(started.case_id));
}

void RecordBuilder::start_rounds(const std::string& contract_id) {
  erase(records_.visits, [&](const VisitRecord& visit) { return contract_of(visit.case_id) == contract_id; });
  erase(records_.rounds, [&](const RoundsRecord& rounds) { return rounds.contract_id == contract_id; });
}

void RecordBuilder::add(const JournalEntry& entry) {
  const nlohmann::json& record = entry.record;
  if (entry.kind == "plan") {
    plan(entry);
  } else if (entry.kind == "case_started") {
    start({record.at("case_id"), record.at("time_utc"), record.value("resumed_step", std::int64_t{0})});
  } else if (entry.kind == "case") {
    CaseRecord ended = case_from_json(record);
    if (!ended_.insert(ended.case_id).second)
      erase(records_.cases, [&](const CaseRecord& one) { return one.case_id == ended.case_id; });
    insert(records_.cases, std::move(ended));
  } else if (entry.kind == "epoch") {
    insert(records_.epochs, epoch_from_json(record), epochs_);
  } else if (entry.kind == "validation") {
    insert(records_.validations, validation_from_json(record), validations_);
  } else if (entry.kind == "rank") {
    insert(records_.ranks, rank_from_json(record), ranks_);
  } else if (entry.kind == "utilisation") {
    insert(records_.utilisation, utilisation_from_json(record), utilisation_);
  } else if (entry.kind == "rounds_started") {
    start_rounds(record.at("contract_id"));
  } else if (entry.kind == "visit") {
    records_.visits.push_back(visit_from_json(record));
  } else if (entry.kind == "rounds") {
    records_.rounds.push_back(rounds_from_json(record));
  } else {
    throw InputError("\"" + entry.kind + "\" records come from a newer ddlbench");
  }
}

}  // namespace ddlbench::bench
