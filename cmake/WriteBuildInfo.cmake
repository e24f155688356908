# cmake -DSOURCE_DIR=… -DTEMPLATE=… -DOUTPUT=… -DVERSION=… … -P WriteBuildInfo.cmake: rewrites OUTPUT only
# where it changes, so that an unchanged commit compiles nothing.
set(GIT_COMMIT "")
set(GIT_DIRTY false)
find_program(GIT git)
if(EXISTS ${SOURCE_DIR}/COMMIT)
  # An archive of scripts/gpu_pack carries its commit, and says whether it was all of it.
  file(STRINGS ${SOURCE_DIR}/COMMIT lines)
  list(GET lines 0 GIT_COMMIT)
  if(lines MATCHES ";dirty")
    set(GIT_DIRTY true)
  endif()
elseif(GIT)
  execute_process(COMMAND ${GIT} rev-parse HEAD WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE GIT_COMMIT
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT} status --porcelain --untracked-files=no WORKING_DIRECTORY ${SOURCE_DIR}
                  OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    set(GIT_DIRTY true)
  endif()
endif()
string(REPLACE "\"" "\\\"" FLAGS "${FLAGS}")
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
