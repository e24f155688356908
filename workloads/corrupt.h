#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workloads/dataset.h"

namespace ddlbench::workloads {

/// A sample that cannot be read.
struct CorruptSample {
  std::int64_t index = 0;
  std::string why;  ///< message of the error that read() threw; it names the file
};

/// A data set without its corrupt samples, and the list of these in ascending order.
struct FilteredDataset {
  std::shared_ptr<const Dataset> dataset;
  std::vector<CorruptSample> left_out;
};

/// Returns `dataset` without its corrupt samples. Reads every sample once with `threads` threads, unless the data set
/// cannot be corrupt. All ranks must agree on which samples there are and how many a batch has, but each rank reads
/// only its own samples. Corrupt samples are therefore removed before any order is drawn, not when they are first read.
/// The others keep their order and are renumbered. Throws BadData if no sample is left.
FilteredDataset without_corrupt(std::shared_ptr<const Dataset> dataset, int threads);

/// Returns "2 of 400 samples of the training data cannot be read and are left out:" and a line for each of the first
/// `most` of them.
std::string describe(const FilteredDataset& sound, const std::string& which, std::size_t most = 10);

}  // namespace ddlbench::workloads
