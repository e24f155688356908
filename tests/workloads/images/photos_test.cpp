#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/hash.h"
#include "catch.h"
#include "skip.h"
#include "workloads/dataset.h"
#include "workloads/text/shared_data.h"

namespace ddlbench::workloads {
namespace {

TEST_CASE("real photographs are read as by torchvision") {
  const std::string folder = test::shared_data() + "/photos";
  if (!std::filesystem::is_directory(folder)) {
    return test::skip("no folder photos below DDLBENCH_DATA, or below shared/data beside the sources");
  }
  const DatasetKind& kind = find_dataset("image-folder");
  OptionValues options = with_defaults(kind.options, {{"path", folder}, {"size", std::int64_t{32}}});
  const auto train = kind.open(options, Split::training);
  CHECK(train->size() == 400);
  CHECK(train->shape().classes == 10);
  options["mean"] = std::string("0,0,0");
  options["std"] = std::string("1,1,1");
  options["shorter_side"] = std::int64_t{36};
  const auto validation = kind.open(options, Split::validation);
  REQUIRE(validation->size() == 150);

  // fnv1a of CenterCrop(32)(Resize(36)(Image.open(…).convert("RGB"))).tobytes() of the first image of each class, by
  // torchvision 0.14 and Pillow 9.4. The fifth image is grey.
  const std::uint64_t expected[10] = {0x77eba1ebafdf6e0e, 0x4fe945ca66da1621, 0xf965a8262590f747, 0x6a69de4c26602c75,
                                      0x6a551b972a41c0e2, 0x96120d03c127b5c8, 0xbd053ceffcf5488c, 0xdfa39a6ed91f36eb,
                                      0x18719f042267e8fc, 0x551281f673473fd1};
  std::vector<float> values(3 * 32 * 32);
  std::int32_t label = -1;
  for (std::int64_t i = 0; i < 10; ++i) {
    validation->read({i, 0}, values.data(), &label);
    CHECK(label == i);
    std::string bytes;
    for (std::size_t at = 0; at < 32 * 32; ++at) {
      for (std::size_t c = 0; c < 3; ++c) bytes.push_back(static_cast<char>(std::lround(values[c * 1024 + at] * 255)));
    }
    CHECK(fnv1a(bytes) == expected[i]);
  }
  for (std::int64_t i = 0; i < train->size(); ++i) {
    train->read({i, 1}, values.data(), &label);
    CHECK(std::all_of(values.begin(), values.end(), [](float value) { return std::abs(value) < 3; }));
  }
}

}  // namespace
}  // namespace ddlbench::workloads
