# cmake -DSOURCE_DIR=… -DTEMPLATE=… -DOUTPUT=… -DVERSION=… … -P WriteBuildInfo.cmake: rewrites OUTPUT only if it
# changes, so that an unchanged commit recompiles nothing.
set(GIT_COMMIT "")
set(GIT_DIRTY false)
find_program(GIT git)
if(GIT)
  # A source tree that was unpacked within another repository has none of its own.
  execute_process(COMMAND ${GIT} rev-parse --show-prefix WORKING_DIRECTORY ${SOURCE_DIR} RESULT_VARIABLE failed
                  OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(GIT AND NOT failed AND NOT prefix)
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
