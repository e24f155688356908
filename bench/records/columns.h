#pragma once

#include <vector>

#include "bench/records/comparison.h"
#include "bench/records/csv.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

struct CaseRow {
  CaseRecord record;
  Comparison comparison;
};

/// The columns of each file, in order: docs/results.md says what they mean.
const std::vector<Column<CaseRow>>& case_columns();
const std::vector<Column<EpochRecord>>& epoch_columns();
const std::vector<Column<UtilisationRecord>>& utilisation_columns();

/// ranks.csv has a column for each memory class and operation: those named here always, others where a
/// record has them.
std::string ranks_table(const std::vector<RankRecord>& records);

}  // namespace ddlbench::bench
