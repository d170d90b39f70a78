# What `cmake --install` gives: the program, its manual page (where there is help2man) and completions, the header for
# plugins with its pkg-config file and example, and the documents.
include(GNUInstallDirs)

install(TARGETS ncpbench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
find_program(NB_HELP2MAN help2man)
if(NB_HELP2MAN)
  set(manual ${CMAKE_CURRENT_BINARY_DIR}/ncpbench.1)
  set(texts ${CMAKE_CURRENT_SOURCE_DIR}/analysis/program)
  add_custom_command(OUTPUT ${manual} COMMAND sh ${texts}/manual.sh $<TARGET_FILE:ncpbench> > ${manual}
    DEPENDS ncpbench ${texts}/manual.sh ${texts}/manual.txt VERBATIM)
  add_custom_target(installed_texts ALL DEPENDS ${manual})
  # a build of the program alone has made no page, or left an old one: it is made as it is installed
  install(CODE "
    if(NOT EXISTS \"${manual}\" OR \"$<TARGET_FILE:ncpbench>\" IS_NEWER_THAN \"${manual}\")
      execute_process(COMMAND sh \"${texts}/manual.sh\" \"$<TARGET_FILE:ncpbench>\" OUTPUT_FILE \"${manual}\" RESULT_VARIABLE failed)
      if(failed)
        file(REMOVE \"${manual}\")
        message(WARNING \"the manual page cannot be made, and is left out\")
      endif()
    endif()")
  install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
else()
  message(STATUS "help2man is not installed: the installation gets no manual page")
endif()

file(STRINGS core/ncpbench/plugin.h abi REGEX "^#define NCPBENCH_PLUGIN_ABI [0-9]+$")
string(REGEX REPLACE "[^0-9]" "" NCPBENCH_PLUGIN_ABI "${abi}")
configure_file(core/ncpbench/ncpbench.pc.in ncpbench.pc @ONLY)

install(FILES core/ncpbench/plugin.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ncpbench)
# nothing in it depends on the machine; and its prefix is found from where it lies, so that the tree can be moved
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ncpbench.pc DESTINATION share/pkgconfig)
# the standard set: its tables and scene files (analysis/run/standard_set.c looks there)
install(DIRECTORY scenarios/standard/ DESTINATION share/ncpbench/standard OPTIONAL
        FILES_MATCHING PATTERN "*.tsv" PATTERN "*.json.gz")
# solvers in Python (analysis/plugin/load.c looks there, and analysis/python/embed for the package)
if(TARGET nb_python)
  install(TARGETS nb_python LIBRARY DESTINATION lib/ncpbench)
endif()
install(DIRECTORY analysis/python/ncpbench DESTINATION share/ncpbench/python FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
install(FILES analysis/program/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ncpbench)
install(FILES analysis/program/completion.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _ncpbench)

# The documents, and whatever their links lead to: where those lie in the sources, and again when one changes.
set(documents README.md CHANGELOG.md LICENSE CITATION.cff core/README.md core/formulation.md solvers/README.md cuda/README.md
    results/README.md results/schema.md analysis/README.md tests/README.md tests/plugins/example_real.h)
set(installed)
while(documents)
  list(POP_FRONT documents document)
  list(APPEND installed ${document})
  get_filename_component(folder ${document} DIRECTORY)
  if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/${document})
    install(DIRECTORY ${document} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
  else()
    install(FILES ${document} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
  endif()
  if(NOT document MATCHES "\\.md$")
    continue()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${document})
  file(READ ${document} text)
  string(REPLACE "](" "<link>" text "${text}") # a bracket would join the items of a list
  string(REGEX MATCHALL "<link>[^]):# ]+" links "${text}") # no URL, and no place in the same document
  foreach(link ${links})
    string(REPLACE "<link>" "" link ${link})
    cmake_path(APPEND folder ${link} OUTPUT_VARIABLE link)
    cmake_path(NORMAL_PATH link)
    string(REGEX REPLACE "/$" "" link ${link}) # of a folder, whose contents alone would be installed
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${link} AND NOT link IN_LIST documents AND NOT link IN_LIST installed)
      list(APPEND documents ${link})
    endif()
  endforeach()
endwhile()
install(FILES tests/plugins/example.c tests/plugins/example_real.h tests/plugins/method.c tests/plugins/example.py DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
