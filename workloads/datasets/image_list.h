#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/dataset.h"

namespace ddlbench::workloads {

/// The images of one split of a folder. The classes take turns, as long as each has images left: so the first N samples
/// are of all classes.
struct ImageList {
  struct Image {
    std::string path;
    std::int32_t label = 0;
  };
  std::vector<std::string> classes;  ///< names of folders, sorted; a label is a position here
  std::vector<Image> images;
  std::int64_t others = 0;  ///< files and folders in folders of classes that are not .jpg, .jpeg or .png (in any case)
};

/// Lists `folder`, which holds train/CLASS/ and val/CLASS/, or else CLASS/ alone; then each class gives
/// `validation_share` of its images (0: 0.2), at least one, to validation: which ones depends on their names alone.
/// `wanted` are the classes that are used; none: all. Throws BadData (no folder, no classes, a class without images,
/// classes of validation that training lacks) and InputError (a wanted class that is not there, a share beside val/).
ImageList list_images(const std::string& folder, Split split, double validation_share,
                      const std::vector<std::string>& wanted);

}  // namespace ddlbench::workloads
