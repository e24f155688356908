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

/// Lists `folder`, which holds train/CLASS/ and val/CLASS/, or only CLASS/. In the latter case `validation_share` of
/// the images of each class (0: 0.2), at least one, are for validation; the choice depends only on their names.
/// `wanted`: the classes to use; empty: all. Throws BadData (no folder, only one of train/ and val/, fewer than two
/// classes, a class without images, a class of one image to split, a validation class that training lacks) and
/// InputError (a wanted class that does not exist or is named twice, a `validation_share` where there is val/).
ImageList list_images(const std::string& folder, Split split, double validation_share,
                      const std::vector<std::string>& wanted);

}  // namespace ddlbench::workloads
