#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "graph/option.h"
#include "workloads/model.h"

namespace ddlbench::workloads {

/// A data file is missing, truncated or corrupt: names the file, what was found, and the remedy.
class BadData : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Split : std::uint8_t { training, validation };

/// Samples by index. Immutable once opened, so that ranks share it.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual const SampleShape& shape() const = 0;
  virtual std::int64_t size() const = 0;
  /// Writes sample `index`, normalised and dense, to `values` (bytes of the sample's type) and its labels.
  /// Thread-safe. Throws BadData.
  virtual void read(std::int64_t index, void* values, std::int32_t* labels) const = 0;
};

/// A kind of data set that can be named in a config.
struct DatasetKind {
  std::string name;
  std::string help;
  std::vector<graph::Option> options;
  std::unique_ptr<Dataset> (*open)(const graph::OptionValues& options, Split split);
};

const std::vector<DatasetKind>& dataset_kinds();
const DatasetKind& find_dataset(const std::string& name);  ///< throws InputError naming the nearest

/// The order in which an epoch visits the training samples: a permutation that depends on (seed, epoch,
/// size) alone, so that every strategy and every number of ranks trains on the same batches.
std::vector<std::int64_t> epoch_order(std::uint64_t seed, std::int64_t epoch, std::int64_t size);

}  // namespace ddlbench::workloads
