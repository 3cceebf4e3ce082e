# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: headers and both libraries, a CMake package, clquant.pc, the documentation, and the
# command where it was built. Components: runtime, development, command, documentation.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/clquant)
install(TARGETS clquant_static clquant_shared EXPORT clquantTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/clquant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development FILES_MATCHING PATTERN "*.h")
install(FILES ${clquant_CLH} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/clquant COMPONENT development)
install(EXPORT clquantTargets NAMESPACE clquant:: DESTINATION ${package_dir} COMPONENT development)
if(TARGET clquant_command)
  set_target_properties(clquant_command PROPERTIES INSTALL_RPATH $<$<BOOL:${BUILD_SHARED_LIBS}>:$ORIGIN/../${CMAKE_INSTALL_LIBDIR}>)
  install(TARGETS clquant_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  if(TARGET clquant_man)
    install(FILES ${PROJECT_BINARY_DIR}/clquant.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
    set(CLQ_ZSH_FOLDER site-functions CACHE STRING "The folder of zsh's completions, in share/zsh") # Debian's is vendor-completions
    install(FILES ${PROJECT_BINARY_DIR}/clquant.bash RENAME clquant COMPONENT command
      DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions)
    install(FILES ${PROJECT_BINARY_DIR}/clquant.zsh RENAME _clquant COMPONENT command
      DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/${CLQ_ZSH_FOLDER})
    install(FILES ${PROJECT_BINARY_DIR}/clquant.fish COMPONENT command
      DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d)
  endif()
endif()

# The pages lie as they do here, so that their links hold. The examples need nothing but the package.
set(doc_dir ${CMAKE_INSTALL_DATAROOTDIR}/doc/clquant)
if(PROJECT_IS_TOP_LEVEL)
  set(doc_dir ${CMAKE_INSTALL_DOCDIR})
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${doc_dir} COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${doc_dir} COMPONENT documentation)
install(FILES ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${doc_dir} COMPONENT documentation OPTIONAL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${doc_dir} COMPONENT documentation
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${doc_dir} COMPONENT documentation)

set(clquant_kind static)
if(BUILD_SHARED_LIBS)
  set(clquant_kind shared)
endif()
set(clh ${CMAKE_INSTALL_INCLUDEDIR}/clquant/clquant.clh)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/clquantConfig.cmake.in
  ${PROJECT_BINARY_DIR}/clquantConfig.cmake INSTALL_DESTINATION ${package_dir} PATH_VARS clh
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/clquantConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/clquantConfig.cmake ${PROJECT_BINARY_DIR}/clquantConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)

# The prefix is where the file lies, so that an installed tree can be moved.
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/clquant.pc.in ${PROJECT_BINARY_DIR}/clquant.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/clquant.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(PROJECT_IS_TOP_LEVEL)
  include(${CMAKE_CURRENT_LIST_DIR}/package.cmake)
endif()
