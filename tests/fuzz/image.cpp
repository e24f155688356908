// Input: a JPEG or PNG file. What is decoded of it depends on a hash of its bytes.
#include <optional>
#include <vector>

#include "base/hash.h"
#include "fuzz/input.h"
#include "fuzz/target.h"
#include "temporary_folder.h"
#include "workloads/dataset.h"
#include "workloads/images/transform.h"

using namespace ddlbench;
using namespace ddlbench::workloads;

namespace {

constexpr std::int64_t most_pixels = 1 << 18;  ///< of images that are decoded, so that each input takes little time

using Rows = std::vector<std::vector<std::uint8_t>>;

/// Returns the decoded pixels of `region`, which `decoded` contains.
Rows rows_of(const Decoded& decoded, const Region& region) {
  Rows rows;
  for (int y = region.top; y < region.top + region.height; ++y) {
    const std::uint8_t* row =
        decoded.pixels.data + static_cast<std::size_t>(y - decoded.region.top) * decoded.pixels.stride;
    const std::uint8_t* first = row + 3 * (region.left - decoded.region.left);
    rows.emplace_back(first, first + 3 * region.width);
  }
  return rows;
}

Region part_of(ImageSize image, std::uint64_t hash) {
  const auto draw = [&hash](int below) {
    const auto drawn = static_cast<int>(hash % static_cast<std::uint64_t>(below));
    hash = hash / static_cast<std::uint64_t>(below) * 0x9E3779B97F4A7C15 + 1;
    return drawn;
  };
  Region part;
  part.left = draw(image.width);
  part.top = draw(image.height);
  part.width = 1 + draw(image.width - part.left);
  part.height = 1 + draw(image.height - part.top);
  return part;
}

void decode(Decoder& decoder, const std::uint8_t* data, std::size_t size, std::uint64_t hash) {
  const ImageSize image = decoder.open("input", data, size);
  if (std::int64_t{image.width} * image.height > most_pixels) return;
  const Region part = part_of(image, hash);
  const Rows expected = rows_of(decoder.decode(), part);
  decoder.open("input", data, size);
  fuzz::expect(rows_of(decoder.decode(part), part) == expected, "a decoded part has the pixels of the whole image");
  decoder.open("input", data, size);
  decoder.decode(part, 1 << (hash >> 60 & 3));
}

void transform_file(const std::string& path, std::uint64_t hash) {
  static TransformScratch scratch;
  TransformSettings settings;
  settings.size = 1 << (hash & 7);
  settings.shorter_side = settings.size << (hash >> 3 & 7);
  settings.random_crop = (hash & 64) != 0;
  settings.reduce = (hash & 128) != 0;
  std::vector<std::uint8_t> sample(static_cast<std::size_t>(3 * settings.size * settings.size));
  transform(path, settings, {static_cast<std::int64_t>(hash >> 40), hash}, scratch, sample.data());
}

}  // namespace

DDLBENCH_FUZZ_TARGET(image)(const std::uint8_t* data, std::size_t size) {
  static const test::TemporaryFolder folder;
  static Decoder decoder;
  const std::uint64_t hash = fnv1a({reinterpret_cast<const char*>(data), size});
  try {
    decode(decoder, data, size, hash);
    fuzz::write(folder / "image", {reinterpret_cast<const char*>(data), size});
    transform_file(folder / "image", hash);
  } catch (const BadData&) {
  }
  return 0;
}
