#pragma once

#include <string>

#include "bench/records/record.h"

namespace ddlbench::bench {

/// What a running case tells whoever watches it. Called from one thread at a time.
class Progress {
 public:
  virtual ~Progress() = default;
  /// The case lives: `phase` is "prepare", "compile", "train epoch 2", …; `fraction` of the whole case.
  virtual void alive(const std::string& phase, double fraction) = 0;
  virtual void epoch(const EpochRecord& record) = 0;
  virtual void rank(const RankRecord& record) = 0;
};

/// Of processes that tell nothing.
class Silence final : public Progress {
 public:
  void alive(const std::string&, double) override {}
  void epoch(const EpochRecord&) override {}
  void rank(const RankRecord&) override {}
};

}  // namespace ddlbench::bench
