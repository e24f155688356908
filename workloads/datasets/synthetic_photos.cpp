#include "workloads/datasets/synthetic_photos.h"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "graph/random.h"
#include "workloads/images/encode.h"

namespace ddlbench::workloads {
namespace {

namespace fs = std::filesystem;

/// A sequence of random numbers in [0, 1) for one image.
class Numbers {
 public:
  Numbers(std::uint64_t key, std::uint64_t image) : key_(key), image_(image) {}
  float next() {
    if (used_ == 4) {
      block_ = graph::philox(key_, image_, count_++);
      used_ = 0;
    }
    return graph::unit_float(block_.v[used_++]);
  }

 private:
  std::uint64_t key_;
  std::uint64_t image_;
  std::uint64_t count_ = 0;
  graph::Philox block_{};
  int used_ = 4;
};

/// Returns a triangle wave of period 1 in [−1, 1]. Unlike a sine it has the same bits on every machine.
float wave(float at) {
  const float part = at - std::floor(at);
  return part < 0.5F ? 4.0F * part - 1.0F : 3.0F - 4.0F * part;
}

struct Patch {
  float x, y, radius;
  std::array<float, 3> tint;
};

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(fmt::format("{}: cannot be created: {}", folder.string(), error.message()));
}

void write(const fs::path& path, const std::vector<std::uint8_t>& bytes) {
  std::ofstream file(path, std::ios::binary);
  errno = 0;
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw InputError(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
}

}  // namespace

void draw_photo(const SyntheticPhotos& photos, int label, std::int64_t number, std::vector<std::uint8_t>& rgb) {
  const auto [width, height] = photos.size;
  rgb.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  Numbers of_class(graph::random_key(photos.seed, graph::Purpose::synthetic_data, "class of photos"),
                   static_cast<std::uint64_t>(label));
  // Directions are spread evenly over one quadrant, so that no two classes coincide by chance or under mirroring.
  const float turn = 0.25F * (static_cast<float>(label) + 0.5F * of_class.next()) / static_cast<float>(photos.classes);
  const float across = wave(turn), along = wave(turn + 0.25F);
  const float stripes = 4.0F + 8.0F * of_class.next();
  const std::array<float, 3> tint{of_class.next() - 0.5F, of_class.next() - 0.5F, of_class.next() - 0.5F};

  Numbers of_image(graph::random_key(photos.seed, graph::Purpose::synthetic_data, "photo"),
                   (static_cast<std::uint64_t>(label) << 40) | static_cast<std::uint64_t>(number));
  const float phase = of_image.next(), slope_x = of_image.next() - 0.5F, slope_y = of_image.next() - 0.5F;
  const float light = 0.4F + 0.2F * of_image.next();
  std::array<Patch, 6> patches{};
  for (Patch& patch : patches) {
    patch = {of_image.next(), of_image.next(), 0.05F + 0.15F * of_image.next(), {}};
    for (float& channel : patch.tint) channel = of_image.next() - 0.5F;
  }

  const float extent = static_cast<float>(std::max(width, height));
  std::uint8_t* to = rgb.data();
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      const float x = static_cast<float>(column) / extent, y = static_cast<float>(row) / extent;
      const float stripe = wave(phase + stripes * (across * x + along * y));
      const float shade = light + slope_x * (x - 0.5F) + slope_y * (y - 0.5F);
      const float grain = 0.06F * (of_image.next() - 0.5F);
      std::array<float, 3> colour{};
      for (std::size_t c = 0; c < 3; ++c) colour[c] = shade + grain + 0.25F * tint[c] + 0.15F * stripe;
      for (const Patch& patch : patches) {
        const float dx = x - patch.x, dy = y - patch.y;
        if (dx * dx + dy * dy > patch.radius * patch.radius) continue;
        for (std::size_t c = 0; c < 3; ++c) colour[c] += 0.3F * patch.tint[c];
      }
      for (const float channel : colour) {
        *to++ = static_cast<std::uint8_t>(std::clamp(channel, 0.0F, 1.0F) * 255.0F + 0.5F);
      }
    }
  }
}

std::int64_t write_photos(const std::string& folder, const SyntheticPhotos& photos) {
  std::error_code ignored;
  if (fs::exists(folder, ignored) && !fs::is_empty(folder, ignored)) {
    throw InputError(folder + ": exists and is not empty; name a new folder");
  }
  std::int64_t written = 0;
  std::vector<std::uint8_t> rgb;
  for (const bool training : {true, false}) {
    for (int label = 0; label < photos.classes; ++label) {
      const fs::path of_class = fs::path(folder) / (training ? "train" : "val") / fmt::format("class_{:02}", label);
      make_folder(of_class);
      const std::int64_t count = training ? photos.per_class : photos.validation_per_class;
      const std::int64_t first = training ? 0 : photos.per_class;
      for (std::int64_t i = first; i < first + count; ++i) {
        draw_photo(photos, label, i, rgb);
        const std::vector<std::uint8_t> file = encode_jpeg(
            {rgb.data(), photos.size.width, photos.size.height, static_cast<std::size_t>(photos.size.width) * 3},
            photos.quality);
        write(of_class / fmt::format("{:06}.jpg", i), file);
        written += static_cast<std::int64_t>(file.size());
      }
    }
  }
  return written;
}

}  // namespace ddlbench::workloads
