# cpack runs this on the files to be packed: what Debian's policy asks for beyond the installation.
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(documents ${share}/doc/${CPACK_PACKAGE_NAME})
set(license /usr/share/common-licenses/Apache-2.0)
string(TIMESTAMP year "%Y" UTC)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)

file(CREATE_LINK ${license} ${documents}/LICENSE SYMBOLIC)
file(WRITE ${documents}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: ${year} The ncpbench developers
License: Apache-2.0
 Debian systems have the text in ${license}.
Comment: The program links parts of SuiteSparse that are under the GNU GPL
 (version 2 or later). Who passes it on must do so under the GPL, version 3.
")
file(WRITE ${documents}/changelog "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * CHANGELOG.md has the changes.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(GLOB pages ${share}/man/man1/*.1)
execute_process(COMMAND gzip -9n ${documents}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions) # where Debian's zsh looks

# The package depends on the libraries of the program, and suggests those of the shared objects that it loads when they are asked for.
set(control ${CPACK_TEMPORARY_DIRECTORY}/control)
file(WRITE ${control}/debian/control "Source: ncpbench\n\nPackage: ncpbench\nArchitecture: any\n")
file(GLOB loaded ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/lib/ncpbench/*.so)
list(TRANSFORM loaded PREPEND -e)
execute_process(COMMAND dpkg-shlibdeps -O -dDepends -e${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/bin/ncpbench -dSuggests ${loaded}
  WORKING_DIRECTORY ${control} OUTPUT_VARIABLE libraries ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${control})
if(libraries MATCHES "shlibs:Depends=([^\n]*)")
  set(CPACK_DEBIAN_PACKAGE_DEPENDS ${CMAKE_MATCH_1})
endif()
if(libraries MATCHES "shlibs:Suggests=([^\n]*)")
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS ${CMAKE_MATCH_1})
endif()
