// Input: lines of a journal. Those that are objects of `kind` and `record` get the checksum that makes them valid.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "bench/export/results_json.h"
#include "bench/page/page.h"
#include "bench/page/run_results.h"
#include "bench/records/store.h"
#include "bench/report/results.h"
#include "fuzz/input.h"
#include "fuzz/target.h"
#include "json/parse.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// Appends a line, with its checksum if it is an entry. Returns whether it is one.
bool append(Journal& journal, const std::string& line) {
  try {
    const auto entry = json::parse_whole(line);
    if (!entry.is_object() || !entry.contains("kind") || !entry["kind"].is_string() || !entry.contains("record"))
      return false;
    journal.append({entry["kind"], entry["record"]});
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

DDLBENCH_FUZZ_TARGET(journal)(const std::uint8_t* data, std::size_t size) {
  static const test::TemporaryFolder folder;
  const std::string path = journal_path(folder.path());
  std::filesystem::remove(path);
  fuzz::Input input(data, size);
  while (!input.empty()) {
    const std::string line(input.until('\n'));
    Journal journal(path);
    if (!append(journal, line)) std::ofstream(path, std::ios::app | std::ios::binary) << line << '\n';
  }
  try {
    const RunResults results = read_results(folder.path());
    format_missing(results.rankings, results.records, results.folder);
    format_results(results.rankings);
    results_json({results});
    page({results});
  } catch (const InputError&) {
  }
  return 0;
}
