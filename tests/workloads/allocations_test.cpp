#include "catch.h"
#include "count_allocations.h"
#include "temporary_folder.h"
#include "workloads/dataset.h"
#include "workloads/images/image_writers.h"
#include "workloads/images/pillow_files.h"
#include "workloads/tiny_idx.h"

namespace ddlbench::workloads {
namespace {

TEST_CASE("reading images a second time allocates nothing") {
  const test::TemporaryFolder folder;
  int files = 0;
  for (const char* of_class : {"train/ant", "train/bee", "val/ant", "val/bee"}) {
    const std::filesystem::path top = std::filesystem::path(folder.path()) / of_class;
    std::filesystem::create_directories(top);
    const std::string name = std::to_string(++files);
    write_plain(top / (name + "a.jpg"), pillow::jpeg_420);
    write_plain(top / (name + "b.jpg"), pillow::jpeg_cmyk);
    write_plain(top / (name + "c.png"), pillow::png_palette);
  }
  const DatasetKind& kind = find_dataset("image-folder");
  for (const Split split : {Split::training, Split::validation}) {
    const auto dataset =
        kind.open(with_defaults(kind.options, {{"path", folder.path()}, {"size", std::int64_t{48}}}), split);
    std::vector<float> values(3 * 48 * 48);
    std::int32_t label = -1;
    const auto pass = [&] {
      for (std::int64_t i = 0; i < dataset->size(); ++i) dataset->read({i, 1}, values.data(), &label);
    };
    pass();
    const std::int64_t before = test::allocations;
    pass();
    CHECK(test::allocations == before);
  }
}

}  // namespace
}  // namespace ddlbench::workloads
