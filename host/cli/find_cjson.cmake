# SPDX-License-Identifier: Apache-2.0
# cJSON reads the headers of files: without it there is no command, nor are there tests of it. Behind this file
# CLQ_BUILD_COMMAND is ON or OFF. Who asks for the command is refused where it cannot be built; who does not say gets the
# libraries.
if(NOT CLQ_BUILD_COMMAND AND NOT CLQ_BUILD_TESTS)
  return()
endif()
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(CJSON QUIET IMPORTED_TARGET libcjson)
endif()
if(TARGET PkgConfig::CJSON)
  if(CLQ_BUILD_COMMAND)
    set(CLQ_BUILD_COMMAND ON)
  endif()
  return()
endif()

set(why "pkg-config finds no libcjson (Debian: libcjson-dev and pkg-config)")
if(CLQ_BUILD_COMMAND AND NOT CLQ_BUILD_COMMAND STREQUAL "AUTO")
  message(FATAL_ERROR "CLQ_BUILD_COMMAND is ${CLQ_BUILD_COMMAND}, but the command needs cJSON, and ${why}. "
    "With CLQ_BUILD_COMMAND=OFF or AUTO the libraries are built without it.")
endif()
message(STATUS "no cJSON, for ${why}: the command clquant is left out")
set(CLQ_BUILD_COMMAND OFF)
