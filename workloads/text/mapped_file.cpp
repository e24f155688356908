#include "workloads/text/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "workloads/dataset.h"

namespace ddlbench::workloads {
namespace {

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

}  // namespace

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const auto refuse = [&path](const std::string& what) { throw BadData(path + ": " + what); };
  // Opening a FIFO for reading would wait for a writer.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0) refuse(errno == ENOENT ? "there is no such file" : std::strerror(errno));
  struct stat status {};
  if (::fstat(file.number, &status) != 0) refuse(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) refuse("is a folder, not a file");
  if (!S_ISREG(status.st_mode)) refuse("is not a regular file");
  if (status.st_size == 0) refuse("is empty");
  size_ = static_cast<std::size_t>(status.st_size);
  void* const mapped = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.number, 0);
  if (mapped == MAP_FAILED) refuse(std::string("cannot be mapped: ") + std::strerror(errno));
  data_ = static_cast<const char*>(mapped);
}

MappedFile::~MappedFile() {
  ::munmap(const_cast<char*>(data_), size_);
}

}  // namespace ddlbench::workloads
