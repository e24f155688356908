#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "graph/normalisation.h"

namespace ddlbench::workloads {

/// The normalised value of every byte: tables[channel][byte], or tables[0][byte] where all channels have one mean.
class NormalisationTables {
 public:
  /// Throws InputError that names `who` where a deviation is not positive or a value is not finite as a float.
  NormalisationTables(graph::Normalisation of, const std::string& who);
  const graph::Normalisation& normalisation() const { return normalisation_; }
  const std::array<float, 256>& operator[](std::size_t channel) const { return tables_[channel]; }

 private:
  graph::Normalisation normalisation_;
  std::vector<std::array<float, 256>> tables_;
};

/// A replacement for the tables that leaves bytes unchanged.
struct IdentityTables {
  struct Channel {
    std::uint8_t operator[](std::uint8_t byte) const { return byte; }
  };
  Channel operator[](std::size_t) const { return {}; }
};

/// Parses the three numbers of an option, such as "0.485,0.456,0.406". Throws InputError that names `who` and `option`.
std::vector<double> three_numbers(const std::string& text, const std::string& who, const std::string& option);

}  // namespace ddlbench::workloads
