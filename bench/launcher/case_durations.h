#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace ddlbench::bench {

/// Expects how long cases take, from those that have ended: a line through their times as a function of their work,
/// with neither a negative slope nor a negative offset.
class CaseDurations {
 public:
  /// `work`: of each case, by id, in FLOPs. A case without an entry has the mean work of those that have ended.
  explicit CaseDurations(std::map<std::string, double> work) : work_(std::move(work)) {}

  /// Notes that a case has ended after this time.
  void note(const std::string& case_id, double seconds);

  /// Returns the time of a case; nothing until one has ended.
  std::optional<double> expected(const std::string& case_id) const { return expected(one(case_id)); }

  /// A number of cases, and what is known of their work together.
  struct Cases {
    int with_work = 0, without_work = 0;
    double work = 0;  ///< of those with work

    void add(const Cases& others, int times);
  };
  Cases one(const std::string& case_id) const;
  /// Returns the time of all these cases together; nothing until a case has ended.
  std::optional<double> expected(const Cases& cases) const;

 private:
  std::map<std::string, double> work_;
  double count_ = 0, sum_work_ = 0, sum_seconds_ = 0, sum_squares_ = 0, sum_products_ = 0;
};

}  // namespace ddlbench::bench
