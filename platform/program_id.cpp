#include "platform/program_id.h"

#include <elf.h>
#include <link.h>

#include <cstring>

#include "base/hash.h"

namespace ddlbench::platform {
namespace {

std::size_t padded(std::size_t bytes) {
  return (bytes + 3) / 4 * 4;
}

/// Returns the build ID in an ELF note segment, or "". elf(5): notes follow each other, each with a header, a name and
/// a description, padded to words.
std::string id_in(const unsigned char* notes, std::size_t bytes) {
  for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes + at, sizeof header);
    const unsigned char* name = notes + at + sizeof header;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
      return hexadecimal({name + padded(header.n_namesz), header.n_descsz});
    }
    at += sizeof header + padded(header.n_namesz) + padded(header.n_descsz);
  }
  return "";
}

/// dl_iterate_phdr callback. The first object that the loader lists is the program itself.
int read_program(dl_phdr_info* info, std::size_t, void* result) {
  auto& id = *static_cast<std::string*>(result);
  for (int i = 0; i < info->dlpi_phnum && id.empty(); ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the address at which the loader placed it
    id = id_in(reinterpret_cast<const unsigned char*>(info->dlpi_addr + segment.p_vaddr), segment.p_memsz);
  }
  return 1;
}

}  // namespace

std::string program_id() {
  std::string id;
  ::dl_iterate_phdr(read_program, &id);
  return id;
}

}  // namespace ddlbench::platform
