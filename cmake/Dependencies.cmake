# Finds ddlbench's dependencies. Each can be given as a prefix (CMAKE_PREFIX_PATH) from conda, Spack or modules.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

find_package(Threads REQUIRED)
find_package(fmt 8 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PNG 1.6 REQUIRED)
# Parts of an image are decoded, which only libjpeg-turbo supports.
find_package(JPEG REQUIRED)
include(CheckSymbolExists)
set(CMAKE_REQUIRED_LIBRARIES JPEG::JPEG)
check_symbol_exists(jpeg_skip_scanlines "stdio.h;jpeglib.h" DDLBENCH_JPEG_IS_TURBO)
unset(CMAKE_REQUIRED_LIBRARIES)
if(NOT DDLBENCH_JPEG_IS_TURBO)
  message(FATAL_ERROR "${JPEG_LIBRARIES} is not libjpeg-turbo: install libjpeg62-turbo-dev (Debian), or name its prefix "
                      "in CMAKE_PREFIX_PATH")
endif()
find_package(OpenMP COMPONENTS CXX)

# ddlbench_library(TARGET HEADER LIBRARY PACKAGE folders…) finds a library that has no usable CMake file. FOLDERS below the
# folder of its headers are searched for headers, too.
function(ddlbench_library target header library package)
  find_path(${library}_INCLUDE_DIR ${header})
  find_library(${library}_LIBRARY ${library})
  if(NOT ${library}_INCLUDE_DIR OR NOT ${library}_LIBRARY)
    message(FATAL_ERROR "${library} is missing: install ${package} (Debian), or name its prefix in CMAKE_PREFIX_PATH")
  endif()
  set(folders ${${library}_INCLUDE_DIR})
  foreach(folder ${ARGN})
    list(APPEND folders ${${library}_INCLUDE_DIR}/${folder})
  endforeach()
  add_library(${target} UNKNOWN IMPORTED)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${${library}_LIBRARY}
                                             INTERFACE_INCLUDE_DIRECTORIES "${folders}")
endfunction()

ddlbench_library(utf8proc::utf8proc utf8proc.h utf8proc libutf8proc-dev)
ddlbench_library(isal::isal isa-l/igzip_lib.h isal libisal-dev)
# The CMake file of the oneDNN package requires OpenCL even where the library does not use it.
ddlbench_library(DNNL::dnnl oneapi/dnnl/dnnl.hpp dnnl libdnnl-dev oneapi/dnnl)
# Not all packages of RE2 bring a CMake file; those that do name its dependencies.
find_package(re2 CONFIG QUIET)
if(NOT TARGET re2::re2)
  ddlbench_library(re2::re2 re2/re2.h re2 libre2-dev)
  set_target_properties(re2::re2 PROPERTIES INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()

# Only the C library: the C++ wrapper compiler would merely add another library. Without MPI, ranks are threads. Builds
# with sanitizers do not use it: UCX, on which MPICH builds, replaces functions of libc that threads still call after
# ThreadSanitizer has been shut down, and LeakSanitizer reports memory that MPICH keeps.
if(NOT DDLBENCH_SANITIZE)
  find_package(MPI COMPONENTS C QUIET)
endif()
if(TARGET MPI::MPI_C)
  target_compile_definitions(MPI::MPI_C INTERFACE MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX)
  set(DDLBENCH_WITHOUT_MPI no_mpi)
else()
  message(NOTICE "No MPI: the transport mpi is unavailable (libmpich-dev and mpich on Debian)")
  set(DDLBENCH_WITHOUT_MPI mpi)
endif()

# Not in builds with sanitizers either: the library's own accesses to memory are not instrumented.
if(NOT DDLBENCH_SANITIZE)
  find_path(gloo_INCLUDE_DIR gloo/rendezvous/context.h)
  find_library(gloo_LIBRARY gloo)
endif()
if(gloo_INCLUDE_DIR AND gloo_LIBRARY)
  add_library(gloo::gloo UNKNOWN IMPORTED)
  set_target_properties(gloo::gloo PROPERTIES IMPORTED_LOCATION ${gloo_LIBRARY}
                                              INTERFACE_INCLUDE_DIRECTORIES ${gloo_INCLUDE_DIR})
  set(DDLBENCH_WITHOUT_GLOO no_gloo)
else()
  message(NOTICE "No gloo: the transport gloo is unavailable (libgloo-dev on Debian)")
  set(DDLBENCH_WITHOUT_GLOO gloo)
endif()

find_package(nlohmann_json 3.10 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
