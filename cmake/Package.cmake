# cpack -G "DEB;TGZ": a package for Debian, and an archive that runs from any folder.
set(CPACK_PACKAGE_NAME ddlbench)
set(CPACK_PACKAGE_VENDOR "The ddlbench authors")
set(CPACK_PACKAGE_CONTACT "The ddlbench authors <ddlbench@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compares ways of parallelising the training of a network")
set(CPACK_PACKAGE_DESCRIPTION "ddlbench runs data-parallel, intra-layer, inter-layer and hybrid strategies over one
shared kernel layer, ranks them by measured time, and certifies that each trained
the same network as one rank would have.
This build needs a processor of level x86-64-v${DDLBENCH_CPU_LEVEL}.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSES/Apache-2.0.txt)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR "DEB;TGZ")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Recommended packages: for ranks as processes, for figures, and for the data of configs/quickstart.json.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "mpich, python3-matplotlib, dataset-fashion-mnist")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/packaging/debian.cmake)
set(CPACK_DDLBENCH_COPYRIGHT ${CMAKE_SOURCE_DIR}/packaging/copyright)
include(CPack)
