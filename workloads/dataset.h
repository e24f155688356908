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

/// Thrown where a data file is missing, truncated or corrupt. The message names the file, what was found, and the
/// remedy.
class BadData : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Split : std::uint8_t { training, validation };

/// A sample to read in one pass over the data. Random augmentation (crop, flip) is drawn from `key` and `index`, so
/// every rank and every number of workers reads the same values.
struct SampleDraw {
  std::int64_t index = 0;
  std::uint64_t key = 0;
  bool operator==(const SampleDraw&) const = default;
};

/// Samples by index. Immutable once opened, so that ranks and workers can share it.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual const SampleShape& shape() const = 0;
  virtual std::int64_t size() const = 0;
  /// Writes sample `draw.index`, normalised and dense, to `values` (graph::bytes(shape().sample) bytes), and its labels
  /// to `labels`. Thread-safe. Throws BadData.
  virtual void read(const SampleDraw& draw, void* values, std::int32_t* labels) const = 0;
  /// Returns how read() normalises images that are stored as bytes; null for other samples.
  virtual const graph::Normalisation* normalisation() const { return nullptr; }
  /// Writes the sample before normalisation; normalising these bytes gives exactly the values of read(). Only for data
  /// sets with a normalisation. Thread-safe. Throws BadData.
  virtual void read_bytes(const SampleDraw& draw, std::uint8_t* values, std::int32_t* labels) const;
  /// Writes only the labels, for ranks that hold only the end of a model. By default reads the whole sample; data sets
  /// that know labels without reading the values override it. Thread-safe. Throws BadData.
  virtual void read_labels(const SampleDraw& draw, std::int32_t* labels) const;
  /// Returns whether read() may throw BadData: true where a sample is first checked when it is read.
  virtual bool may_be_corrupt() const { return false; }
  /// Returns a remark for the user, such as on files that are not samples; usually empty.
  virtual std::string remark() const { return {}; }
};

/// A kind of data set that an experiment can name.
struct DatasetKind {
  std::string name;
  std::string help;
  std::vector<Option> options;
  std::unique_ptr<Dataset> (*open)(const OptionValues& options, Split split);
  /// Returns the options as a contract hashes them: paths of files are replaced by a hash of the files' contents.
  /// Throws BadData and InputError as `open` does. Null: the options themselves.
  OptionValues (*identity)(const OptionValues& options) = nullptr;
};

const std::vector<DatasetKind>& dataset_kinds();
/// Returns the data set called `name`. Throws InputError that names the nearest match.
const DatasetKind& find_dataset(const std::string& name);

/// Returns the order in which an epoch visits the training samples: a permutation that depends only on (seed, epoch,
/// size), so that every strategy and every number of ranks trains on the same batches.
std::vector<std::int64_t> epoch_order(std::uint64_t seed, std::int64_t epoch, std::int64_t size);

/// Returns draws of the samples `indices` in epoch `epoch` of a training with `seed`. All have the same key.
std::vector<SampleDraw> epoch_draws(std::uint64_t seed, std::int64_t epoch, const std::vector<std::int64_t>& indices);

/// Returns draws of the samples `indices` without augmentation, as in validation: key 0.
std::vector<SampleDraw> plain_draws(const std::vector<std::int64_t>& indices);

}  // namespace ddlbench::workloads
