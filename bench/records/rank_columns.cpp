#include <algorithm>
#include <set>

#include "bench/records/columns.h"

namespace ddlbench::bench {

namespace {

using Counts = std::map<std::string, std::int64_t>;

template <auto member>
std::string of_rank(const RankRecord& record) {
  return cell(record.*member);
}

template <auto member>
std::string budget(const RankRecord& record) {
  return cell(record.budget.*member);
}

const std::vector<Column<RankRecord>>& plain_columns() {
  using R = RankRecord;
  using B = BudgetRecord;
  static const std::vector<Column<RankRecord>> columns{
      {"case_id", of_rank<&R::case_id>},
      {"rank", of_rank<&R::rank>},
      {"role", of_rank<&R::role>},
      {"budget_forward_seconds", budget<&B::forward>},
      {"budget_backward_seconds", budget<&B::backward>},
      {"budget_recompute_seconds", budget<&B::recompute>},
      {"budget_communication_seconds", budget<&B::communication>},
      {"budget_bubble_seconds", budget<&B::bubble>},
      {"budget_optimizer_seconds", budget<&B::optimizer>},
      {"budget_input_seconds", budget<&B::input>},
      {"budget_rest_seconds", budget<&B::rest>},
      {"flops_per_step", of_rank<&R::flops_per_step>},
  };
  return columns;
}

/// `names`, then what else the records have, sorted.
std::vector<std::string> keys(std::vector<std::string> names, const std::vector<RankRecord>& records,
                              Counts RankRecord::*counts) {
  std::set<std::string> others;
  for (const RankRecord& record : records) {
    for (const auto& [key, count] : record.*counts) {
      if (std::find(names.begin(), names.end(), key) == names.end()) others.insert(key);
    }
  }
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

std::string count_cell(const Counts& counts, const std::string& key) {
  const auto found = counts.find(key);
  return found == counts.end() ? std::string() : cell(found->second);
}

}  // namespace

std::string ranks_table(const std::vector<RankRecord>& records) {
  const auto classes = keys({"parameters", "gradients", "optimizer_state", "activations", "workspace", "communication"},
                            records, &RankRecord::peak_bytes);
  const auto operations = keys({"all_reduce", "reduce_scatter", "all_gather", "all_to_all", "broadcast", "send"},
                               records, &RankRecord::sent_bytes);
  std::vector<std::string> cells;
  for (const auto& column : plain_columns()) cells.push_back(column.name);
  for (const auto& key : classes) cells.push_back("peak_" + key + "_bytes");
  for (const auto& key : operations) cells.push_back("sent_" + key + "_bytes_per_step");
  std::string text = csv_line(cells);
  for (const RankRecord& record : records) {
    cells.clear();
    for (const auto& column : plain_columns()) cells.push_back(column.cell(record));
    for (const auto& key : classes) cells.push_back(count_cell(record.peak_bytes, key));
    for (const auto& key : operations) cells.push_back(count_cell(record.sent_bytes, key));
    text += csv_line(cells);
  }
  return text;
}

}  // namespace ddlbench::bench
