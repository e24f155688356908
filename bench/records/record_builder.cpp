#include "bench/records/record_builder.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/error.h"
#include "bench/records/record_json.h"

namespace ddlbench::bench {

RecordBuilder::Reordered RecordBuilder::take_reordered() {
  return std::exchange(reordered_, {});
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
bool RecordBuilder::insert(std::vector<Record>& records, Record record) {
  const std::size_t place = position(record.case_id);
  const auto is_before = [this](std::size_t wanted, const Record& other) { return wanted < position(other.case_id); };
  const bool is_last = records.empty() || !is_before(place, records.back());
  const auto at = is_last ? records.end() : std::upper_bound(records.begin(), records.end(), place, is_before);
  records.insert(at, std::move(record));
  return !is_last;
}

template <class Record>
void RecordBuilder::insert_row(std::vector<Record>& records, Record record) {
  reordered_.rows |= position(record.case_id) + 1 < forgotten_.of_case.size();
  reordered_.rows |= insert(records, std::move(record));
}

void RecordBuilder::Forgotten::add(std::size_t place) {
  if (place >= of_case.size()) of_case.resize(place + 1);
  of_case[place] = true;
}

template <class Record>
void RecordBuilder::forget(std::vector<Record>& records) {
  for (const Record& record : records) forgotten_.add(position(record.case_id));
  records.clear();
  records.shrink_to_fit();
}

void RecordBuilder::forget_rows() {
  forget(records_.epochs);
  forget(records_.validations);
  forget(records_.ranks);
  forget(records_.utilisation);
}

std::size_t RecordBuilder::forget_settled() {
  const auto is_settled = [this](const auto& record) { return settled_.contains(contract_of(record.case_id)); };
  auto& cases = records_.cases;
  const auto end = std::find_if_not(cases.begin(), cases.end(), is_settled);
  if (end == cases.begin() || std::any_of(end, cases.end(), is_settled)) return 0;
  const auto count = static_cast<std::size_t>(end - cases.begin());
  forgotten_cases_ += count;
  first_unforgotten_ = position(cases[count - 1].case_id) + 1;
  std::erase_if(records_.visits, is_settled);
  std::erase_if(records_.rounds, [this](const RoundsRecord& one) { return settled_.contains(one.contract_id); });
  cases.erase(cases.begin(), end);
  settled_.clear();
  return count;
}

void RecordBuilder::require_unforgotten(const std::string& case_id) const {
  require(position(case_id) >= first_unforgotten_, "a record of case {} comes after its contract was settled", case_id);
}

void RecordBuilder::plan(const JournalEntry& entry) {
  const bool changes_order = !records_.started.empty() || !records_.cases.empty();
  reordered_ = {reordered_.cases || changes_order, reordered_.rows || changes_order};
  records_.planned.clear();
  positions_.clear();
  records_.kind = {entry.record.at("certificates_only"), entry.record.value("has_rounds", false),
                   entry.record.value("shard", "")};
  for (const auto& one : entry.record.at("cases")) {
    PlannedCase planned{one.at(0), one.at(1)};
    if (one.size() > 2) planned.seed = one.at(2), planned.ranks = one.at(3);
    positions_[planned.case_id] = records_.planned.size();
    records_.planned.push_back(std::move(planned));
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
  reordered_.cases |= std::erase_if(records_.cases, is_of_case) > 0;
  const std::size_t rows = std::erase_if(records_.epochs, is_repeated) +
                           std::erase_if(records_.validations, is_repeated) +
                           std::erase_if(records_.ranks, is_of_case) + std::erase_if(records_.utilisation, is_of_case);
  reordered_.rows |= rows > 0 || forgotten_.has(position(started.case_id));
  start_rounds(contract_of(started.case_id));
}

void RecordBuilder::start_rounds(const std::string& contract_id) {
  const auto is_of_contract = [&](const RoundsRecord& rounds) { return rounds.contract_id == contract_id; };
  reordered_.cases |= std::erase_if(records_.rounds, is_of_contract) > 0;
  const auto is_visit_of_contract = [&](const VisitRecord& visit) { return contract_of(visit.case_id) == contract_id; };
  reordered_.cases |= std::erase_if(records_.visits, is_visit_of_contract) > 0;
}

void RecordBuilder::add(const JournalEntry& entry) {
  const nlohmann::json& record = entry.record;
  if (entry.kind == "plan") {
    plan(entry);
  } else if (entry.kind == "case_started") {
    start({record.at("case_id"), record.at("time_utc"), record.value("resumed_step", std::int64_t{0})});
  } else if (entry.kind == "case") {
    CaseRecord ended = case_from_json(record);
    const auto is_it = [&](const CaseRecord& one) { return one.case_id == ended.case_id; };
    if (!ended_.insert(ended.case_id).second) reordered_.cases |= std::erase_if(records_.cases, is_it) > 0;
    reordered_.cases |= insert(records_.cases, std::move(ended));
  } else if (entry.kind == "epoch") {
    insert_row(records_.epochs, epoch_from_json(record));
  } else if (entry.kind == "validation") {
    insert_row(records_.validations, validation_from_json(record));
  } else if (entry.kind == "rank") {
    insert_row(records_.ranks, rank_from_json(record));
  } else if (entry.kind == "utilisation") {
    insert_row(records_.utilisation, utilisation_from_json(record));
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
