// Writes a folder of synthetic photographs, of any number and size, for the data set image-folder.

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>

#include "base/error.h"
#include "workloads/datasets/synthetic_photos.h"

namespace {

using ddlbench::workloads::ImageSize;

/// Parses "224" or "500x375".
bool parse_size(const std::string& text, ImageSize& size) {
  const char* const end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, size.width);
  if (error != std::errc{}) return false;
  size.height = size.width;
  if (at != end && *at == 'x') {
    const auto second = std::from_chars(at + 1, end, size.height);
    if (second.ec != std::errc{}) return false;
    at = second.ptr;
  }
  constexpr int most = 16384;
  return at == end && size.width > 0 && size.height > 0 && size.width <= most && size.height <= most;
}

}  // namespace

int main(int argc, char* argv[]) {
  ddlbench::workloads::SyntheticPhotos photos;
  std::string folder;
  std::string size = "500x375";
  int validation = -1;
  CLI::App app{
      "Writes train/CLASS/*.jpg and val/CLASS/*.jpg: images whose class can be learned, the same for the same "
      "options.",
      "make_photos"};
  app.add_option("OUTPUT", folder, "new or empty folder")->required();
  app.add_option("--classes", photos.classes, "number of classes")->check(CLI::Range(2, 1000))->capture_default_str();
  app.add_option("--per-class", photos.per_class, "training images of each class")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--validation-per-class", validation,
                 "validation images of each class (default: a quarter of the training images)")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--size", size, "pixels: 224 or 500x375, at most 16384")->capture_default_str();
  app.add_option("--quality", photos.quality, "JPEG quality")->check(CLI::Range(1, 100))->capture_default_str();
  app.add_option("--seed", photos.seed, "seed: another seed gives other images")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (!parse_size(size, photos.size)) {
    std::cerr << "make_photos: --size must be like 224 or 500x375, at most 16384 pixels each, but is " << size << '\n';
    return 2;
  }
  photos.validation_per_class = validation > 0 ? validation : std::max(1, photos.per_class / 4);
  try {
    const std::int64_t bytes = write_photos(folder, photos);
    const std::int64_t images =
        std::int64_t{photos.classes} * (photos.per_class + std::int64_t{photos.validation_per_class});
    std::cout << folder << ": " << images << " images of " << photos.size.width << "x" << photos.size.height << ", "
              << bytes << " bytes\n";
  } catch (const ddlbench::InputError& error) {
    std::cerr << "make_photos: " << error.what() << '\n';
    return 2;
  }
  return 0;
}
