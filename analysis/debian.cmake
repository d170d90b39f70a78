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
