#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "graph/normalisation.h"

namespace ddlbench::workloads {

/// What every byte becomes: tables[channel][byte], and tables[0] of all where they have one mean.
class NormalisationTables {
 public:
  /// Throws InputError, naming `who`, where a deviation is not positive or a value becomes one that no float holds.
  NormalisationTables(graph::Normalisation of, const std::string& who);
  const graph::Normalisation& normalisation() const { return normalisation_; }
  const std::array<float, 256>& operator[](std::size_t channel) const { return tables_[channel]; }

 private:
  graph::Normalisation normalisation_;
  std::vector<std::array<float, 256>> tables_;
};

/// In the place of tables where bytes stay what they are.
struct SameBytes {
  struct Channel {
    std::uint8_t operator[](std::uint8_t byte) const { return byte; }
  };
  Channel operator[](std::size_t) const { return {}; }
};

/// "0.485,0.456,0.406" of an option; InputError names `who` and the option.
std::vector<double> three_numbers(const std::string& text, const std::string& who, const std::string& option);

}  // namespace ddlbench::workloads
