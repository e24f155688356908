// Input: which of the formats and of the options are used, as bits; the number of samples to use (0: all); the file.
#include "base/error.h"
#include "fuzz/input.h"
#include "fuzz/read_samples.h"
#include "fuzz/target.h"
#include "temporary_folder.h"

using namespace ddlbench;

DDLBENCH_FUZZ_TARGET(cifar)(const std::uint8_t* data, std::size_t size) {
  static const test::TemporaryFolder folder;
  fuzz::Input input(data, size);
  const unsigned bits = input.byte();
  const std::int64_t samples = input.byte();
  const bool training = (bits & 1) != 0, hundred = (bits & 2) != 0, coarse = (bits & 4) != 0;
  const std::string_view file = input.rest();
  if (!hundred) {
    for (int i = 1; training && i <= 5; ++i) fuzz::write(folder / ("data_batch_" + std::to_string(i) + ".bin"), file);
    if (!training) fuzz::write(folder / "test_batch.bin", file);
  } else {
    fuzz::write(folder / (training ? "train.bin" : "test.bin"), file);
  }
  try {
    const workloads::DatasetKind& kind = workloads::find_dataset("cifar");
    const OptionValues options{{"path", folder.path()},
                               {"classes", std::int64_t{hundred ? 100 : 10}},
                               {"labels", std::string(coarse ? "coarse" : "fine")},
                               {"padding", std::int64_t{(bits >> 3) & 7}},
                               {"flip", (bits & 64) != 0},
                               {training ? "train_samples" : "validation_samples", samples}};
    fuzz::read_samples(*kind.open(with_defaults(kind.options, options),
                                  training ? workloads::Split::training : workloads::Split::validation));
  } catch (const workloads::BadData&) {
  } catch (const InputError&) {
  }
  return 0;
}
