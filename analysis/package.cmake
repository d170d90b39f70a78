# What `cpack` makes of the installation: a Debian package. debian.cmake computes its dependencies by dpkg-shlibdeps, and adds what Debian's
# policy asks for. DEBFULLNAME and DEBEMAIL name its maintainer when CMake configures, as for Debian's own tools.
set(maintainer "The ncpbench developers")
if(DEFINED ENV{DEBFULLNAME})
  set(maintainer "$ENV{DEBFULLNAME}")
endif()
set(mail ncpbench@localhost)
if(DEFINED ENV{DEBEMAIL})
  set(mail "$ENV{DEBEMAIL}")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ncpbench)
set(CPACK_PACKAGE_CONTACT "${maintainer} <${mail}>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "comparison of solvers for non-smooth multibody dynamics")
set(CPACK_PACKAGE_DESCRIPTION "ncpbench assembles the Newton systems of standard scenes of rigid and
deformable bodies with contact, friction and joints. It solves them with
interchangeable linear solvers, preconditioners and methods, records each
iteration in HDF5, and draws convergence figures and comparisons.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS gnuplot-nox)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/analysis/debian.cmake)
include(CPack)
