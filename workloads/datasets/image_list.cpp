#include "workloads/datasets/image_list.h"

#include <fmt/core.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "base/hash.h"
#include "base/names.h"
#include "graph/random.h"

namespace ddlbench::workloads {
namespace {

namespace fs = std::filesystem;

constexpr const char* layout =
    "; the folder in the option path must hold train/CLASS/*.jpg and val/CLASS/*.jpg, or CLASS/*.jpg";

/// Returns the names of a folder's entries, sorted.
std::vector<std::string> names_in(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> names;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  if (error) throw BadData(fmt::format("{}: cannot be listed: {}", folder.string(), error.message()));
  std::sort(names.begin(), names.end());
  return names;
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::vector<std::string> folders_in(const fs::path& folder) {
  std::vector<std::string> names = names_in(folder);
  names.erase(std::remove_if(names.begin(), names.end(),
                             [&](const std::string& name) { return name[0] == '.' || !is_folder(folder / name); }),
              names.end());
  return names;
}

bool is_image(const fs::path& path) {
  std::string suffix = path.extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(), [](unsigned char c) { return std::tolower(c); });
  std::error_code ignored;
  return (suffix == ".jpg" || suffix == ".jpeg" || suffix == ".png") && fs::is_regular_file(path, ignored);
}

std::string join(const std::vector<std::string>& names) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
}

std::vector<std::string> choose(const std::vector<std::string>& there, const std::vector<std::string>& wanted,
                                const fs::path& folder) {
  if (wanted.empty()) return there;
  std::vector<std::string> chosen = wanted;
  std::sort(chosen.begin(), chosen.end());
  const auto twice = std::adjacent_find(chosen.begin(), chosen.end());
  if (twice != chosen.end()) throw InputError("image-folder: the option classes names '" + *twice + "' twice");
  std::string missing;
  for (const std::string& name : chosen) {
    if (std::binary_search(there.begin(), there.end(), name)) continue;
    const std::string guess = nearest(name, there);
    missing += fmt::format("{}{}'{}", missing.empty() ? "'" : ", '", name,
                           guess.empty() ? "" : " (did you mean '" + guess + "'?)");
  }
  if (!missing.empty()) {
    throw InputError(
        fmt::format("image-folder: {} does not have these classes of the option classes: {}; available: {}",
                    folder.string(), missing, join(there)));
  }
  return chosen;
}

/// Returns the images of the class `folder`, sorted by name, and adds the number of its other entries to `others`.
std::vector<std::string> images_of(const fs::path& folder, std::int64_t& others) {
  std::vector<std::string> images;
  if (is_folder(folder)) {
    for (const std::string& name : names_in(folder)) {
      const fs::path path = folder / name;
      if (is_image(path)) {
        images.push_back(path.string());
      } else {
        ++others;
      }
    }
  }
  if (images.empty()) {
    const std::vector<std::string> inner = is_folder(folder) ? folders_in(folder) : std::vector<std::string>{};
    throw BadData(fmt::format(
        "{}: a class without images (.jpg, .jpeg or .png); add some, or leave the class out with the option classes{}",
        folder.string(),
        inner.empty()
            ? ""
            : fmt::format("; it contains the folders {}: if these are the classes, name the parts of the data "
                          "set in the options train_folder and validation_folder",
                          join(inner))));
  }
  return images;
}

/// Returns the images of a class that belong to `split`, sorted by name.
std::vector<std::string> share_of(const std::vector<std::string>& images, const std::string& name, Split split,
                                  double validation_share, const fs::path& folder) {
  if (images.size() < 2) {
    throw BadData(fmt::format("{}: a class of one image cannot be divided into training and validation{}",
                              (folder / name).string(), layout));
  }
  constexpr double usual_share = 0.2;
  const double share = validation_share != 0 ? validation_share : usual_share;
  const auto most = static_cast<double>(images.size() - 1);
  const auto held_back =
      static_cast<std::size_t>(std::clamp(std::nearbyint(static_cast<double>(images.size()) * share), 1.0, most));
  const std::uint64_t key = graph::random_key(0, graph::Purpose::shuffle, "validation of " + name);
  std::vector<std::pair<std::uint64_t, std::size_t>> drawn;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const graph::Philox random = graph::philox(key, fnv1a(fs::path(images[i]).filename().string()), 0);
    drawn.emplace_back((std::uint64_t{random.v[0]} << 32) | random.v[1], i);
  }
  std::sort(drawn.begin(), drawn.end());
  const auto cut = drawn.begin() + static_cast<std::ptrdiff_t>(held_back);
  if (split == Split::validation) {
    drawn.erase(cut, drawn.end());
  } else {
    drawn.erase(drawn.begin(), cut);
  }
  std::sort(drawn.begin(), drawn.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<std::string> chosen;
  for (const auto& [number, i] : drawn) chosen.push_back(images[i]);
  return chosen;
}

/// Returns whether `top` has parts. Throws BadData if only one is there, or none although one has another name than
/// usual.
bool has_parts(const fs::path& top, const PartNames& parts) {
  for (const auto& [name, option] :
       {std::pair(parts.training, "train_folder"), std::pair(parts.validation, "validation_folder")}) {
    if (name.empty() || name.find('/') != std::string::npos || name == "." || name == "..")
      throw InputError(
          fmt::format("image-folder: the option {} must be the name of a folder in the option path", option));
  }
  if (parts.training == parts.validation) {
    throw InputError("image-folder: the options train_folder and validation_folder name the same folder, " +
                     parts.training);
  }
  const bool training = is_folder(top / parts.training), validation = is_folder(top / parts.validation);
  if (training && validation) return true;
  const PartNames usual;
  const bool named = parts.training != usual.training || parts.validation != usual.validation;
  if (!training && !validation && !named) return false;
  const bool lacks_training = !training && (validation || parts.training != usual.training);
  const std::string& missing = lacks_training ? parts.training : parts.validation;
  throw BadData(
      fmt::format("{}: has no folder {}; the folders there are: {}; set the option {} to the one of the {} images{}",
                  top.string(), missing, join(folders_in(top)), lacks_training ? "train_folder" : "validation_folder",
                  lacks_training ? "training" : "validation", layout));
}

}  // namespace

ImageList list_images(const std::string& folder, const PartNames& parts, Split split, double validation_share,
                      const std::vector<std::string>& wanted) {
  const fs::path top = folder;
  if (!is_folder(top)) throw BadData(fmt::format("{}: the folder does not exist{}", folder, layout));
  const bool divided = has_parts(top, parts);
  const fs::path of_validation = top / parts.validation;
  if (divided && validation_share != 0) {
    throw InputError(
        fmt::format("{}: already contains validation images: leave out the option validation_share, which "
                    "is for a folder without {}/ and {}/",
                    of_validation.string(), parts.training, parts.validation));
  }
  const fs::path of_training = divided ? top / parts.training : top;
  const std::vector<std::string> there = folders_in(of_training);
  if (there.empty())
    throw BadData(fmt::format("{}: contains no folders, so no classes{}", of_training.string(), layout));
  ImageList list;
  list.classes = choose(there, wanted, of_training);
  if (list.classes.size() < 2) {
    throw BadData(fmt::format("{}: has only one class, {}, so there is nothing to learn{}", of_training.string(),
                              list.classes[0], layout));
  }
  const fs::path from = divided && split == Split::validation ? of_validation : of_training;
  if (divided && wanted.empty()) {
    for (const std::string& name : folders_in(of_validation)) {
      if (!std::binary_search(there.begin(), there.end(), name)) {
        throw BadData((of_validation / name).string() + ": a validation class that training lacks");
      }
    }
  }

  std::vector<std::vector<std::string>> images;
  std::size_t longest = 0;
  for (const std::string& name : list.classes) {
    images.push_back(images_of(from / name, list.others));
    if (!divided) images.back() = share_of(images.back(), name, split, validation_share, top);
    longest = std::max(longest, images.back().size());
  }
  for (std::size_t turn = 0; turn < longest; ++turn) {
    for (std::size_t label = 0; label < images.size(); ++label) {
      if (turn < images[label].size()) {
        list.images.push_back({std::move(images[label][turn]), static_cast<std::int32_t>(label)});
      }
    }
  }
  return list;
}

}  // namespace ddlbench::workloads
