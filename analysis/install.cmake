# What `cmake --install` gives: the program, its manual page and completions (written by the program itself from its
# tables), the header for plugins with its pkg-config file and example, and the documents.
include(GNUInstallDirs)

set(manual ${CMAKE_CURRENT_BINARY_DIR}/ncpbench.1)
set(completion ${CMAKE_CURRENT_BINARY_DIR}/completion/ncpbench)
set(zsh_completion ${CMAKE_CURRENT_BINARY_DIR}/completion/_ncpbench)
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/completion)
add_custom_command(OUTPUT ${manual} ${completion} ${zsh_completion}
  COMMAND ncpbench --man > ${manual}
  COMMAND ncpbench --completion bash > ${completion}
  COMMAND ncpbench --completion zsh > ${zsh_completion}
  DEPENDS ncpbench VERBATIM)
add_custom_target(installed_texts ALL DEPENDS ${manual} ${completion} ${zsh_completion})

file(STRINGS core/ncpbench/plugin.h abi REGEX "^#define NCPBENCH_PLUGIN_ABI [0-9]+$")
string(REGEX REPLACE "[^0-9]" "" NCPBENCH_PLUGIN_ABI "${abi}")
configure_file(core/ncpbench/ncpbench.pc.in ncpbench.pc @ONLY)

install(TARGETS ncpbench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES core/ncpbench/plugin.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ncpbench)
# nothing in it depends on the machine; and its prefix is found from where it lies, so that the tree can be moved
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ncpbench.pc DESTINATION share/pkgconfig)
install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${zsh_completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
foreach(text core/formulation.md solvers/README.md cuda/README.md results/README.md results/schema.md analysis/README.md
        tests/README.md results/reference/macklin-fig11.png results/reference/true-error.png) # where README's links lead
  get_filename_component(folder ${text} DIRECTORY)
  install(FILES ${text} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()
install(FILES tests/plugins/example.c tests/plugins/example_real.h tests/plugins/method.c DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
