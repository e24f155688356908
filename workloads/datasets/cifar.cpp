#include <fmt/core.h>
#include <filesystem>

#include "base/error.h"
#include "graph/random.h"
#include "workloads/data_file.h"
#include "workloads/datasets/datasets.h"
#include "workloads/images/transform.h"

namespace ddlbench::workloads {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t side = 32;
constexpr std::size_t plane = side * side;
constexpr std::size_t image_bytes = 3 * plane;

/// One of the two binary formats: the bytes before each image, and which of them is the label.
struct Form {
  std::string folder;  ///< within the archive
  std::vector<std::string> training;
  std::string validation;
  std::size_t label_bytes = 1;
  std::size_t label_at = 0;
  int classes = 10;
  std::size_t record() const { return label_bytes + image_bytes; }
};

Form form_of(std::int64_t classes, bool coarse) {
  if (classes == 10) {
    if (coarse) throw InputError("cifar: the option labels is \"coarse\", which only CIFAR-100 has; leave it out");
    Form form{"cifar-10-batches-bin", {}, "test_batch.bin"};
    for (int i = 1; i <= 5; ++i) form.training.push_back(fmt::format("data_batch_{}.bin", i));
    return form;
  }
  if (classes != 100) {
    throw InputError(fmt::format("cifar: the option classes must be 10 or 100, but is {}", classes));
  }
  return {"cifar-100-binary", {"train.bin"}, "test.bin", 2, coarse ? std::size_t{0} : 1, coarse ? 20 : 100};
}

/// Appends the records of a file to `records`.
void read_records(const fs::path& path, const Form& form, std::vector<std::uint8_t>& records) {
  const std::string name = path.string();
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    throw BadData(
        fmt::format("{}: missing; name the folder of the binary version, {}, in the option path", name, form.folder));
  }
  const DataFile file(name);
  const auto size = static_cast<std::size_t>(file.bytes());
  if (size == 0 || size % form.record() != 0) {
    throw BadData(
        fmt::format("{}: has {} bytes, but must consist of whole records of {} bytes, at least one: it is truncated, "
                    "or in another format",
                    name, size, form.record()));
  }
  const std::size_t had = records.size();
  if (file.bytes() > most_held_bytes - static_cast<std::int64_t>(had)) {
    throw BadData(
        fmt::format("{}: has {} bytes, more than the {} that are kept in memory", name, file.bytes(), most_held_bytes));
  }
  records.resize(had + size);
  file.read(0, records.data() + had, file.bytes());
  for (std::size_t i = 0; i < size / form.record(); ++i) {
    const int label = records[had + i * form.record() + form.label_at];
    if (label >= form.classes) {
      throw BadData(
          fmt::format("{}: label {} of record {} is outside the {} classes: it is damaged, or in another format", name,
                      label, i, form.classes));
    }
  }
}

struct Augmentation {
  int padding = 0;
  bool mirror = false;
};

class Cifar final : public Dataset {
 public:
  Cifar(std::vector<std::uint8_t> records, Form form, NormalisationTables tables, Augmentation augmentation)
      : records_(std::move(records)),
        form_(std::move(form)),
        tables_(std::move(tables)),
        augmentation_(augmentation),
        shape_{{{3, side, side}, graph::DType::f32}, {}, form_.classes} {}

  const SampleShape& shape() const override { return shape_; }
  std::int64_t size() const override { return static_cast<std::int64_t>(records_.size() / form_.record()); }

  void read(const SampleDraw& draw, void* values, std::int32_t* labels) const override {
    write_planes(draw, tables_, static_cast<float*>(values));
    read_labels(draw, labels);
  }

  const graph::Normalisation* normalisation() const override { return &tables_.normalisation(); }

  void read_bytes(const SampleDraw& draw, std::uint8_t* values, std::int32_t* labels) const override {
    write_planes(draw, IdentityTables{}, values);
    read_labels(draw, labels);
  }

  void read_labels(const SampleDraw& draw, std::int32_t* labels) const override {
    *labels = record_of(draw)[form_.label_at];
  }

 private:
  template <class Tables, class Value>
  void write_planes(const SampleDraw& draw, const Tables& tables, Value* to) const {
    const std::uint8_t* from = record_of(draw) + form_.label_bytes;
    const auto [right, down] = shift(draw);
    const bool mirrored = augmentation_.mirror && random_mirror(draw);
    for (std::size_t channel = 0; channel < 3; ++channel, from += plane) {
      const auto& value = tables[channel];
      for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x, ++to) {
          const int column = (mirrored ? static_cast<int>(side) - 1 - x : x) + right, row = y + down;
          const bool inside = column >= 0 && column < side && row >= 0 && row < side;
          *to = value[inside ? from[row * side + column] : std::uint8_t{0}];
        }
      }
    }
  }

  const std::uint8_t* record_of(const SampleDraw& draw) const {
    require(draw.index >= 0 && draw.index < size(), "cifar: sample index outside the data set");
    return records_.data() + static_cast<std::size_t>(draw.index) * form_.record();
  }

  /// Returns the offset (right, down) of the crop from the padded image, relative to the image.
  std::array<int, 2> shift(const SampleDraw& draw) const {
    if (augmentation_.padding == 0) return {0, 0};
    const graph::Philox random = graph::philox(draw.key, static_cast<std::uint64_t>(draw.index), 0);
    const auto places = static_cast<std::uint64_t>(2 * augmentation_.padding + 1);
    const auto drawn = [&](std::uint32_t bits) {
      return static_cast<int>((bits * places) >> 32) - augmentation_.padding;
    };
    return {drawn(random.v[0]), drawn(random.v[1])};
  }

  std::vector<std::uint8_t> records_;
  Form form_;
  NormalisationTables tables_;
  Augmentation augmentation_;
  SampleShape shape_;
};

std::unique_ptr<Dataset> open_cifar(const OptionValues& options, Split split) {
  const fs::path folder = value_of<std::string>(options, "path");
  if (folder.empty()) throw InputError("cifar: the option path must name the folder of the files; it has no default");
  const Form form =
      form_of(value_of<std::int64_t>(options, "classes"), value_of<std::string>(options, "labels") == "coarse");
  NormalisationTables tables({three_numbers(value_of<std::string>(options, "mean"), "cifar", "mean"),
                              three_numbers(value_of<std::string>(options, "std"), "cifar", "std")},
                             "cifar");
  const bool training = split == Split::training;
  std::vector<std::uint8_t> records;
  for (const std::string& name : training ? form.training : std::vector{form.validation}) {
    read_records(folder / name, form, records);
  }
  const std::size_t there = records.size() / form.record();
  const auto limit =
      static_cast<std::size_t>(value_of<std::int64_t>(options, training ? "train_samples" : "validation_samples"));
  if (limit > there) {
    throw InputError(
        fmt::format("{} has {}{} samples, fewer than the {} requested; use at most that many, or 0 for all",
                    folder.string(), there, training ? " training" : " validation", limit));
  }
  if (limit > 0) records.resize(limit * form.record());
  Augmentation augmentation;
  if (training) {
    augmentation = {static_cast<int>(value_of<std::int64_t>(options, "padding")), value_of<bool>(options, "flip")};
  }
  return std::make_unique<Cifar>(std::move(records), form, std::move(tables), augmentation);
}

}  // namespace

DatasetKind cifar() {
  return {
      "cifar",
      "CIFAR-10 and CIFAR-100 in their binary version",
      {{"path", std::string(),
        "folder with data_batch_1.bin to data_batch_5.bin and test_batch.bin, or with train.bin and test.bin; it has "
        "no default"},
       {"classes", std::int64_t{10}, "10 or 100: CIFAR-10 or CIFAR-100", 10, {}, 100},
       {"labels", std::string("fine"), "CIFAR-100: its 100 fine classes, or its 20 coarse ones", 0, {"fine", "coarse"}},
       {"padding",
        std::int64_t{0},
        "black pixels around a training image before a random crop of 32 x 32; 4 is usual",
        0,
        {},
        side},
       {"flip", false, "mirror a random half of the training images in each epoch"},
       {"mean", std::string("0.4914,0.4822,0.4465"), "means of red, green and blue, subtracted from values in [0, 1]"},
       {"std", std::string("0.2470,0.2435,0.2616"),
        "standard deviations of red, green and blue, which divide the result; positive"},
       {"train_samples", std::int64_t{0}, "number of training samples, from the first; 0: all"},
       {"validation_samples", std::int64_t{0}, "number of validation samples, from the first; 0: all"}},
      open_cifar};
}

}  // namespace ddlbench::workloads
