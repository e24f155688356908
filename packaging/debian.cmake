# Run by cpack on the staged files of a package: changes GNU's layout to Debian's.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
set(share ${CPACK_TEMPORARY_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX}/share)
# zsh looks for completions of packages there.
file(MAKE_DIRECTORY ${share}/zsh/vendor-completions)
file(RENAME ${share}/zsh/site-functions/_ddlbench ${share}/zsh/vendor-completions/_ddlbench)
file(REMOVE_RECURSE ${share}/zsh/site-functions)
file(RENAME ${share}/doc/ddlbench/CHANGELOG.md ${share}/doc/ddlbench/changelog)
execute_process(COMMAND gzip -9 -n ${share}/man/man1/ddlbench.1 ${share}/doc/ddlbench/changelog COMMAND_ERROR_IS_FATAL ANY)
# Every Debian system has the text of the licence.
file(REMOVE ${share}/doc/ddlbench/LICENSE)
file(COPY ${CPACK_DDLBENCH_COPYRIGHT} DESTINATION ${share}/doc/ddlbench)
