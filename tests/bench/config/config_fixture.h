#pragma once

#include <string>
#include <vector>

#include "bench/config/load.h"
#include "fakes.h"

namespace ddlbench::bench {

/// One member per line, so that line numbers distinguish members.
inline const std::string valid_config = R"({
  "name": "small",
  "workload": {
    "model": "lenet",
    "dataset": {
      "kind": "idx",
      "path": "/data/images"
    },
    "global_batch": 64
  },
  "training": {
    "epochs": 2,
    "seed": 7,
    "precision": "fp32",
    "optimizer": {
      "kind": "sgd",
      "learning_rate": 0.05,
      "momentum": 0.9
    }
  },
  "devices": {
    "kind": "cpu",
    "transport": "threads",
    "ranks": [1, 2, 4]
  },
  "strategies": [
    "single",
    "ddp",
    { "kind": "gpipe", "microbatches": 8, "balance": "memory" },
    { "kind": "hybrid", "mesh": { "data": 2, "pipeline": 2 }, "expect": "out_of_memory" }
  ],
  "measure": {
    "steps": 10,
    "timeout_seconds": 30.5
  }
}
)";

inline Experiment parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_experiment(text, "small.json", overrides, fake_registries());
}

/// Returns the errors of a configuration; empty if it has none.
inline std::string errors_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parse(text, overrides);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

/// Returns the valid configuration with `from`, which must be in it, replaced by `to`.
inline std::string with(const std::string& from, const std::string& to) {
  std::string text = valid_config;
  const auto at = text.find(from);
  require(at != std::string::npos, "the text to replace is there");
  return text.replace(at, from.size(), to);
}

}  // namespace ddlbench::bench
