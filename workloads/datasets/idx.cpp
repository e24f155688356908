#include <fmt/core.h>
#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/error.h"
#include "workloads/datasets/datasets.h"
#include "workloads/datasets/idx_file.h"
#include "workloads/images/normalisation_tables.h"

namespace ddlbench::workloads {
namespace {

namespace fs = std::filesystem;

constexpr const char* idx_remedy =
    "; set the option path to the folder of the four idx files, or install Fashion-MNIST: apt install "
    "dataset-fashion-mnist";

/// Returns the path of FOLDER/NAME, or else of FOLDER/NAME.gz.
std::string locate(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw BadData(fmt::format("{}: the folder does not exist{}", folder.string(), idx_remedy));
  }
  for (const char* suffix : {"", ".gz"}) {
    const fs::path path = folder / (name + suffix);
    if (fs::exists(path, ignored)) return path.string();
  }
  throw BadData(fmt::format("{}: missing, with and without .gz{}", (folder / name).string(), idx_remedy));
}

class Idx final : public Dataset {
 public:
  Idx(IdxFile images, IdxFile labels, int classes, NormalisationTables tables)
      : images_(std::move(images)), labels_(std::move(labels)), tables_(std::move(tables)) {
    if (images_.dimensions[0] != labels_.dimensions[0]) {
      throw BadData(fmt::format("{} holds {} samples, but {} holds {} labels: they do not belong together",
                                images_.path, images_.dimensions[0], labels_.path, labels_.dimensions[0]));
    }
    for (std::size_t i = 0; i < labels_.elements.size(); ++i) {
      if (labels_.elements[i] >= classes) {
        throw BadData(
            fmt::format("{}: label {} of sample {} is outside the {} classes; set the option classes to the data's "
                        "number of classes",
                        labels_.path, labels_.elements[i], i, classes));
      }
    }
    graph::Shape sample(images_.dimensions.begin() + 1, images_.dimensions.end());
    if (sample.size() == 2) sample.insert(sample.begin(), 1);  // grey images have one channel
    bytes_ = static_cast<std::size_t>(graph::elements(sample));
    shape_.sample.shape = std::move(sample);
    shape_.classes = classes;
  }

  const SampleShape& shape() const override { return shape_; }
  std::int64_t size() const override { return images_.items; }

  void read(const SampleDraw& draw, void* values, std::int32_t* labels) const override {
    const std::uint8_t* from = image(draw);
    auto* to = static_cast<float*>(values);
    for (std::size_t i = 0; i < bytes_; ++i) to[i] = tables_[0][from[i]];
    read_labels(draw, labels);
  }

  const graph::Normalisation* normalisation() const override { return &tables_.normalisation(); }

  void read_bytes(const SampleDraw& draw, std::uint8_t* values, std::int32_t* labels) const override {
    std::copy_n(image(draw), bytes_, values);
    read_labels(draw, labels);
  }

  void read_labels(const SampleDraw& draw, std::int32_t* labels) const override {
    require(draw.index >= 0 && draw.index < size(), "idx: sample index outside the data set");
    *labels = labels_.elements[static_cast<std::size_t>(draw.index)];
  }

 private:
  const std::uint8_t* image(const SampleDraw& draw) const {
    require(draw.index >= 0 && draw.index < size(), "idx: sample index outside the data set");
    return images_.elements.data() + static_cast<std::size_t>(draw.index) * bytes_;
  }

  IdxFile images_;
  IdxFile labels_;
  SampleShape shape_;
  std::size_t bytes_ = 0;
  NormalisationTables tables_;
};

std::unique_ptr<Dataset> open_idx(const OptionValues& options, Split split) {
  NormalisationTables tables(
      {{value_of<double>(options, "mean")}, {value_of<double>(options, "std")}, graph::Normalisation::Arithmetic::f64},
      "idx");
  const bool training = split == Split::training;
  const fs::path folder = value_of<std::string>(options, "path");
  if (folder.empty()) throw InputError("idx: the option path is empty; name a folder, or leave it out for the default");
  const std::string prefix = training ? "train" : "t10k";
  const auto limit = value_of<std::int64_t>(options, training ? "train_samples" : "validation_samples");
  IdxFile images = read_idx(locate(folder, prefix + "-images-idx3-ubyte"), 2, limit);
  if (images.dimensions.at(0) < limit) {
    throw InputError(fmt::format("{} has {} samples, fewer than the {} requested; use at most that many, or 0 for all",
                                 images.path, images.dimensions.at(0), limit));
  }
  IdxFile labels = read_idx(locate(folder, prefix + "-labels-idx1-ubyte"), 1, limit);
  if (labels.dimensions.size() != 1) {
    throw BadData(fmt::format("{}: has {} dimensions, but labels have 1", labels.path, labels.dimensions.size()));
  }
  return std::make_unique<Idx>(std::move(images), std::move(labels),
                               static_cast<int>(value_of<std::int64_t>(options, "classes")), std::move(tables));
}

}  // namespace

DatasetKind idx() {
  return {"idx",
          "idx files, plain or gzip, such as those of MNIST and Fashion-MNIST",
          {{"path", std::string("/usr/share/datasets/fashion-mnist"),
            "folder of {train,t10k}-{images-idx3,labels-idx1}-ubyte[.gz]"},
           {"train_samples", std::int64_t{0}, "number of training samples, from the first; 0: all"},
           {"validation_samples", std::int64_t{0}, "number of validation samples, from the first; 0: all"},
           {"classes", std::int64_t{10}, "number of classes", 2, {}, 1 << 20},
           {"mean", 0.2860, "subtracted from values in [0, 1]", std::numeric_limits<double>::lowest()},
           {"std", 0.3530, "divides the result; positive"}},
          open_idx};
}

}  // namespace ddlbench::workloads
