#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/config/experiment.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// The cases of a resumed run that have ended and are not run again, by id.
using KeptCases = std::map<std::string, CaseRecord>;

/// References of contracts that several cases share: files in the results' folder, kept while cases need them.
class ReferenceFiles {
 public:
  ReferenceFiles(std::string folder, const std::vector<Case>& cases, const KeptCases& kept);
  ~ReferenceFiles();
  ReferenceFiles(const ReferenceFiles&) = delete;
  ReferenceFiles& operator=(const ReferenceFiles&) = delete;

  /// Returns the file for a case that begins; empty if no other case shares its reference.
  std::string file_for(const Case& which);
  void end(const Case& which);

 private:
  std::string file_of(const Case& which) const;

  std::string folder_;
  std::map<std::string, int> left_;  ///< remaining cases, by contract
  std::set<std::string> shared_;
};

}  // namespace ddlbench::bench
