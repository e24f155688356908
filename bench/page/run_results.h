#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/records/record.h"
#include "bench/report/ranking.h"
#include "bench/report/timeline_drawing.h"

namespace ddlbench::bench {

/// The place of a case in the table.
struct Standing {
  int rank = 0;         ///< 0: it is not ranked
  std::string letters;  ///< see RankedCase
  std::string why;      ///< it is not
};

/// A folder of results, finished or interrupted.
struct RunResults {
  std::string folder;  ///< as the user named it
  Records records;
  std::vector<CaseRow> rows;                  ///< those of cases.csv
  std::vector<Ranking> rankings;              ///< one for each contract
  std::map<std::string, Standing> standings;  ///< by case id
  nlohmann::json environment;                 ///< environment.json; null if there is none
  nlohmann::json config;                      ///< config.json, likewise
  std::map<std::string, Drawing> schedules;   ///< measured steps, by case id; see read_schedules
  std::vector<std::string> notes;  ///< sentences: what is missing, and how the run ended if it was not by itself

  bool is_ranked(const CaseRecord& record) const { return standings.at(record.case_id).rank > 0; }
};

/// Returns what follows from the records alone: rows, rankings and standings.
RunResults results_of(std::string folder, Records records);

/// Reads the folder's journal, environment.json and config.json. Throws InputError if it is not a folder of results or
/// its journal is damaged. Other files may be missing or damaged: then a note says so.
RunResults read_results(const std::string& folder);

/// Reads the folder's environment.json and config.json. If one is missing or damaged, adds a note.
void read_descriptions(RunResults& results);

/// Reads the traces of at most `most` cases: the best ones with several ranks first, then the best with one rank. A
/// trace that cannot be read is left out with a note.
void read_schedules(RunResults& results, std::size_t most);

/// Returns the ids of the cases that started and did not end.
std::vector<std::string> unfinished(const Records& records);

/// Returns a case of the contract, whose contract is that of all.
const CaseRecord& any_case(const Ranking& contract);

/// Returns the case's measurement if its steps were timed, otherwise nullptr.
const Measurement* timed_measurement(const CaseRecord& record);

/// Returns a case's id, strategy, ranks and threads: "004-zero-r2 (zero stage=3, 2×1)".
std::string describe_case(const CaseRecord& record);

}  // namespace ddlbench::bench
