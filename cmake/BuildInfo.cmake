# ddlbench_build_info: a small library with commit, compiler and flags, updated at each build.
file(RELATIVE_PATH data_folder ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/ddlbench)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type_upper)
string(JOIN " " coverage_flags "" ${DDLBENCH_COVERAGE_OPTIONS})
set(build_info_cpp ${CMAKE_BINARY_DIR}/generated/build_info.cpp)
add_custom_target(ddlbench_build_info_source
  COMMAND ${CMAKE_COMMAND}
    "-DSOURCE_DIR=${CMAKE_SOURCE_DIR}" "-DTEMPLATE=${CMAKE_SOURCE_DIR}/cmake/build_info.cpp.in"
    "-DOUTPUT=${build_info_cpp}" "-DVERSION=${PROJECT_VERSION}"
    "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
    "-DFLAGS=${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type_upper}}${coverage_flags}, CPU loops for x86-64-v${DDLBENCH_CPU_LEVEL}"
    "-DBUILD_TYPE=${CMAKE_BUILD_TYPE}" "-DSANITIZERS=${DDLBENCH_SANITIZE}"
    "-DDATA_FOLDER=${data_folder}"
    -P ${CMAKE_SOURCE_DIR}/cmake/WriteBuildInfo.cmake
  BYPRODUCTS ${build_info_cpp} VERBATIM)
add_library(ddlbench_build_info STATIC ${build_info_cpp})
add_dependencies(ddlbench_build_info ddlbench_build_info_source)
target_link_libraries(ddlbench_build_info PUBLIC ddlbench_options)
