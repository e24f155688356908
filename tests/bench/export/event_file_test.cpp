#include "bench/export/event_file.h"

#include <map>

#include "catch.h"
#include "event_reader.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("CRC-32C gives the published values") {
  std::string ascending, descending;
  for (int i = 0; i < 32; ++i) {
    ascending += static_cast<char>(i);
    descending += static_cast<char>(31 - i);
  }
  // RFC 3720, appendix B.4
  CHECK(crc32c(std::string(32, '\0')) == 0x8a9136aa);
  CHECK(crc32c(std::string(32, '\xff')) == 0x62a8ab43);
  CHECK(crc32c(ascending) == 0x46dd794e);
  CHECK(crc32c(descending) == 0x113fdb5c);
  CHECK(crc32c("123456789") == 0xe3069283);  // the check value of CRC-32C (iSCSI) in the catalogues of such codes
  CHECK(crc32c("") == 0);
}

TEST_CASE("a checksum of a TFRecord is rotated and shifted") {
  CHECK(masked_crc32c("") == 0xa282ead8);
  CHECK(masked_crc32c("123456789") == (0xe3069283U >> 15 | 0xe3069283U << 17) + 0xa282ead8U);
}

TEST_CASE("an event file is read back") {
  const std::vector<ScalarEvent> events{{1.5e9 + 0.25, 1, {{"train/loss", 0.5F}, {"epoch_seconds", 12.25F}}},
                                        {1.5e9 + 300, 300, {{"train/loss", -0.125F}}}};
  const std::vector<test::ReadEvent> read = test::read_events(event_file(1.5e9, events));
  REQUIRE(read.size() == 3);
  CHECK(read[0].wall_seconds == 1.5e9);
  CHECK(read[0].version == "brain.Event:2");
  CHECK(read[0].scalars.empty());
  CHECK(read[1].wall_seconds == 1.5e9 + 0.25);
  CHECK(read[1].step == 1);
  CHECK(read[1].scalars == std::map<std::string, float>{{"train/loss", 0.5F}, {"epoch_seconds", 12.25F}});
  CHECK(read[2].step == 300);
  CHECK(read[2].scalars == std::map<std::string, float>{{"train/loss", -0.125F}});
}

TEST_CASE("the reader of the tests finds a changed byte and a missing one") {
  const std::string whole = event_file(1, {{2, 3, {{"a", 4.0F}}}});
  for (const std::size_t at : {std::size_t{0}, std::size_t{9}, whole.size() / 2, whole.size() - 1}) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    CHECK_THROWS(test::read_events(changed));
  }
  CHECK_THROWS(test::read_events(whole.substr(0, whole.size() - 1)));
}
