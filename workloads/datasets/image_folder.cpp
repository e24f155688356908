#include <fmt/core.h>
#include <cmath>

#include "base/error.h"
#include "workloads/datasets/datasets.h"
#include "workloads/datasets/image_list.h"
#include "workloads/images/transform.h"

namespace ddlbench::workloads {
namespace {

/// Images in folders by class. Files are opened when they are read, not before.
class ImageFolder final : public Dataset {
 public:
  ImageFolder(ImageList list, const TransformSettings& settings, NormalisationTables tables, std::string remark)
      : list_(std::move(list)), settings_(settings), tables_(std::move(tables)), remark_(std::move(remark)) {
    shape_.sample.shape = {3, settings.size, settings.size};
    shape_.classes = static_cast<int>(list_.classes.size());
  }

  const SampleShape& shape() const override { return shape_; }
  std::int64_t size() const override { return static_cast<std::int64_t>(list_.images.size()); }
  bool may_be_corrupt() const override { return true; }

  void read(const SampleDraw& draw, void* values, std::int32_t* labels) const override {
    transform(image(draw).path, settings_, tables_, draw, scratch(), static_cast<float*>(values));
    read_labels(draw, labels);
  }

  const graph::Normalisation* normalisation() const override { return &tables_.normalisation(); }

  void read_bytes(const SampleDraw& draw, std::uint8_t* values, std::int32_t* labels) const override {
    transform(image(draw).path, settings_, draw, scratch(), values);
    read_labels(draw, labels);
  }

  void read_labels(const SampleDraw& draw, std::int32_t* labels) const override { *labels = image(draw).label; }

  std::string remark() const override { return remark_; }

 private:
  static TransformScratch& scratch() {
    thread_local TransformScratch of_thread;
    return of_thread;
  }

  const ImageList::Image& image(const SampleDraw& draw) const {
    require(draw.index >= 0 && draw.index < size(), "image-folder: sample index outside the data set");
    return list_.images[static_cast<std::size_t>(draw.index)];
  }

  ImageList list_;
  TransformSettings settings_;
  NormalisationTables tables_;
  std::string remark_;
  SampleShape shape_;
};

/// Splits "a,b" into a and b.
std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::size_t begin = text.find_first_not_of(' ', at);
    const std::size_t end = comma == 0 ? std::string::npos : text.find_last_not_of(' ', comma - 1);
    if (begin >= comma || end == std::string::npos) {
      throw InputError("image-folder: the option classes has an empty name: \"" + text + "\"");
    }
    parts.push_back(text.substr(begin, end + 1 - begin));
    at = comma + 1;
  }
  return parts;
}

TransformSettings settings_of(const OptionValues& options, bool training) {
  TransformSettings settings;
  settings.size = static_cast<int>(value_of<std::int64_t>(options, "size"));
  settings.shorter_side = static_cast<int>(value_of<std::int64_t>(options, "shorter_side"));
  if (settings.shorter_side == 0) settings.shorter_side = static_cast<int>(std::lround(settings.size * 256 / 224.0));
  if (settings.shorter_side < settings.size) {
    throw InputError(
        fmt::format("image-folder: a shorter_side of {} is less than the size of {} of the crop; use a larger one, or "
                    "0 for size·256/224",
                    settings.shorter_side, settings.size));
  }
  settings.random_crop = training && value_of<std::string>(options, "crop") == "random_resized";
  settings.mirror = training && value_of<bool>(options, "flip");
  settings.reduce = value_of<bool>(options, "scaled_decoding");
  return settings;
}

std::unique_ptr<Dataset> open_image_folder(const OptionValues& options, Split split) {
  const auto& path = value_of<std::string>(options, "path");
  if (path.empty()) throw InputError("image-folder: the option path must name a folder of images; it has no default");
  const bool training = split == Split::training;
  const std::string which = training ? "training" : "validation";
  const TransformSettings settings = settings_of(options, training);
  NormalisationTables tables({three_numbers(value_of<std::string>(options, "mean"), "image-folder", "mean"),
                              three_numbers(value_of<std::string>(options, "std"), "image-folder", "std")},
                             "image-folder");
  const PartNames parts{value_of<std::string>(options, "train_folder"),
                        value_of<std::string>(options, "validation_folder")};
  ImageList list = list_images(path, parts, split, value_of<double>(options, "validation_share"),
                               split_list(value_of<std::string>(options, "classes")));
  const auto limit =
      static_cast<std::size_t>(value_of<std::int64_t>(options, training ? "train_samples" : "validation_samples"));
  if (limit > list.images.size()) {
    throw InputError(
        fmt::format("{} has {} {} images, fewer than the {} requested; use at most that many, or 0 for all", path,
                    list.images.size(), which, limit));
  }
  if (limit > 0) list.images.resize(limit);
  std::string remark;
  if (list.others > 0) {
    remark = fmt::format("{}: {} entries of the {} classes are not .jpg, .jpeg or .png files and are not samples", path,
                         list.others, which);
  }
  return std::make_unique<ImageFolder>(std::move(list), settings, std::move(tables), std::move(remark));
}

}  // namespace

DatasetKind image_folder() {
  return {"image-folder",
          "JPEG or PNG images, in one folder per class",
          {{"path", std::string(),
            "folder with train/CLASS/ and val/CLASS/ (or other names, see train_folder), or with only CLASS/; it has "
            "no default"},
           {"train_folder", PartNames{}.training, "name of the folder of training images in path"},
           {"validation_folder", PartNames{}.validation,
            "name of the folder of validation images in path, such as \"test\""},
           {"classes", std::string(), "names of the classes to use, such as \"cat,dog\"; empty: all"},
           {"size", std::int64_t{224}, "side of a sample in pixels: 3 x size x size", 1, {}, 4096},
           {"crop",
            std::string("random_resized"),
            "crop of a training image: a random part, or the centre, as in validation",
            0,
            {"random_resized", "centre"}},
           {"shorter_side",
            std::int64_t{0},
            "pixels of the shorter side after resizing, before the centre crop; 0: size * 256 / 224, rounded to "
            "the nearest",
            0,
            {},
            8192},
           {"flip", true, "mirror a random half of the training images in each epoch"},
           {"mean", std::string("0.485,0.456,0.406"), "means of red, green and blue, subtracted from values in [0, 1]"},
           {"std", std::string("0.229,0.224,0.225"),
            "standard deviations of red, green and blue, which divide the result; positive"},
           {"scaled_decoding", false,
            "decode JPEG files of at least twice the size at 1/2, 1/4 or 1/8: faster, but the pixel values differ"},
           {"train_samples", std::int64_t{0}, "number of training images, one from each class in turn; 0: all"},
           {"validation_samples", std::int64_t{0}, "number of validation images, one from each class in turn; 0: all"},
           {"validation_share",
            0.0,
            "for a folder without train/ and val/: the share of each class kept for validation; 0 means 0.2",
            0,
            {},
            1}},
          open_image_folder};
}

}  // namespace ddlbench::workloads
