#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/option.h"
#include "graph/normalisation.h"
#include "workloads/model.h"

namespace ddlbench::workloads {

/// A data file is missing, truncated or corrupt: names the file, what was found, and the remedy.
class BadData : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Split : std::uint8_t { training, validation };

/// A sample in one pass over the data: what is random in reading it (crop, flip) is drawn by `key` and `index`, so
/// that every rank and every number of workers reads the same.
struct SampleDraw {
  std::int64_t index = 0;
  std::uint64_t key = 0;
  bool operator==(const SampleDraw&) const = default;
};

/// Samples by index. Immutable once opened, so that ranks and workers share it.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual const SampleShape& shape() const = 0;
  virtual std::int64_t size() const = 0;
  /// Writes sample `draw.index`, normalised and dense, to `values` (bytes of the sample's type) and its labels.
  /// Thread-safe. Throws BadData.
  virtual void read(const SampleDraw& draw, void* values, std::int32_t* labels) const = 0;
  /// Of images that are bytes at first: how read() normalises them. Null where samples are no bytes.
  virtual const graph::Normalisation* normalisation() const { return nullptr; }
  /// The sample before it is normalised, by which read()'s values are made of these bytes, to the bit. Of data sets
  /// alone that have a normalisation. Thread-safe. Throws BadData.
  virtual void read_bytes(const SampleDraw& draw, std::uint8_t* values, std::int32_t* labels) const;
  /// The labels alone, which ranks want that hold only the end of a model. By default what read() writes; a data set
  /// that knows them without making the values says so here. Thread-safe. Throws BadData.
  virtual void read_labels(const SampleDraw& draw, std::int32_t* labels) const;
  /// Whether read() may throw BadData: where a sample is first looked at when it is read.
  virtual bool may_be_corrupt() const { return false; }
  /// What a person should know of it, such as files that are not samples; mostly nothing.
  virtual std::string remark() const { return {}; }
};

/// A kind of data set that can be named in a config.
struct DatasetKind {
  std::string name;
  std::string help;
  std::vector<Option> options;
  std::unique_ptr<Dataset> (*open)(const OptionValues& options, Split split);
  /// What stands for the options in contracts: of files that they name a hash of what these say, in place of where they
  /// lie. Throws BadData and InputError as `open` does. Null where the options themselves stand.
  OptionValues (*identity)(const OptionValues& options) = nullptr;
};

const std::vector<DatasetKind>& dataset_kinds();
const DatasetKind& find_dataset(const std::string& name);  ///< throws InputError naming the nearest

/// The order in which an epoch visits the training samples: a permutation that depends on (seed, epoch,
/// size) alone, so that every strategy and every number of ranks trains on the same batches.
std::vector<std::int64_t> epoch_order(std::uint64_t seed, std::int64_t epoch, std::int64_t size);

/// These samples as epoch `epoch` of a training with `seed` draws them: one key for the whole epoch.
std::vector<SampleDraw> epoch_draws(std::uint64_t seed, std::int64_t epoch, const std::vector<std::int64_t>& indices);

/// These samples where nothing is random, as in validation: key 0.
std::vector<SampleDraw> plain_draws(const std::vector<std::int64_t>& indices);

}  // namespace ddlbench::workloads
