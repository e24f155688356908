#pragma once

#include <string>

#include "bench/records/record.h"

namespace ddlbench::bench {

/// Receives the progress of a running case. Called from one thread at a time.
class Progress {
 public:
  virtual ~Progress() = default;
  /// Reports that the case is alive: `phase` is "prepare", "compile", "train epoch 2", …; `fraction` is the finished
  /// part of the whole case.
  virtual void alive(const std::string& phase, double fraction) = 0;
  virtual void epoch(const EpochRecord& record) = 0;
  virtual void validation(const ValidationRecord& record) = 0;
  virtual void rank(const RankRecord& record) = 0;
};

/// The Progress of processes that report nothing.
class NullProgress final : public Progress {
 public:
  void alive(const std::string&, double) override {}
  void epoch(const EpochRecord&) override {}
  void validation(const ValidationRecord&) override {}
  void rank(const RankRecord&) override {}
};

}  // namespace ddlbench::bench
