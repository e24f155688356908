# The files that `cmake --install` installs, in GNU's standard directories. The program runs without the other files and
# finds those that it refers to relative to its own path, so the whole installation can be moved.

# Libraries outside the system's folders (conda, Spack, CUDA) are found where they were linked. Nothing in the build
# folder is used.
set_target_properties(ddlbench PROPERTIES INSTALL_RPATH_USE_LINK_PATH TRUE)
install(TARGETS ddlbench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

set(installed_data ${CMAKE_INSTALL_DATADIR}/ddlbench)
install(DIRECTORY configs DESTINATION ${installed_data} PATTERN ddlbench.schema.json EXCLUDE)
install(FILES configs/ddlbench.schema.json DESTINATION ${installed_data}/schema)

# The plots: the same scripts at the same relative paths below one folder, and a command that links to them.
install(PROGRAMS scripts/plot DESTINATION ${installed_data}/scripts)
install(FILES scripts/lib/common.sh scripts/lib/python.sh DESTINATION ${installed_data}/scripts/lib)
install(DIRECTORY scripts/plots DESTINATION ${installed_data}/scripts PATTERN __pycache__ EXCLUDE)

install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSES/Apache-2.0.txt DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Links, and the files that the program generates about itself.
set(generated ${CMAKE_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${generated})
file(RELATIVE_PATH to_plot ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/ddlbench/scripts/plot)
file(CREATE_LINK ${to_plot} ${generated}/ddlbench-plot SYMBOLIC)
file(CREATE_LINK ../schema/ddlbench.schema.json ${generated}/ddlbench.schema.json SYMBOLIC)
install(FILES ${generated}/ddlbench-plot DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${generated}/ddlbench.schema.json DESTINATION ${installed_data}/configs)
install(CODE "
  foreach(page \"man@ddlbench.1\" \"completion;bash@ddlbench.bash\" \"completion;zsh@_ddlbench\")
    string(REGEX MATCH \"^(.*)@(.*)$\" all \"\${page}\")
    set(words \${CMAKE_MATCH_1})
    execute_process(COMMAND \"$<TARGET_FILE:ddlbench>\" \${words} OUTPUT_FILE \"${generated}/\${CMAKE_MATCH_2}\"
                    COMMAND_ERROR_IS_FATAL ANY)
  endforeach()")
install(FILES ${generated}/ddlbench.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${generated}/ddlbench.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ddlbench)
install(FILES ${generated}/_ddlbench DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
