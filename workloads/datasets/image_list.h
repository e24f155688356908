#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/dataset.h"

namespace ddlbench::workloads {

/// The images of one split of a folder. They alternate between the classes as long as each has images left, so that the
/// first N samples cover all classes.
struct ImageList {
  struct Image {
    std::string path;
    std::int32_t label = 0;
  };
  std::vector<std::string> classes;  ///< names of folders, sorted; a label is an index into it
  std::vector<Image> images;
  std::int64_t others = 0;  ///< entries of class folders that are not .jpg, .jpeg or .png files (any case)
};

/// The names of the two parts of a folder of images.
struct PartNames {
  std::string training = "train";
  std::string validation = "val";
};

/// Lists `folder`, which holds TRAINING/CLASS/ and VALIDATION/CLASS/, or only CLASS/. In the latter case
/// `validation_share` of the images of each class (0: 0.2), at least one, are for validation; the choice depends only
/// on their names. `wanted`: the classes to use; empty: all. Throws BadData (no folder, only one of the two parts, a
/// part that is named but not there, fewer than two classes, a class without images, a class of one image to split, a
/// validation class that training lacks) and InputError (a wanted class that does not exist or is named twice, a
/// `validation_share` where there are parts, parts of the same name or of one that is not a name).
ImageList list_images(const std::string& folder, const PartNames& parts, Split split, double validation_share,
                      const std::vector<std::string>& wanted);

}  // namespace ddlbench::workloads
