# SPDX-License-Identifier: Apache-2.0
# What `cpack` makes of an installation: three Debian packages. ci/deb.sh builds them as Debian would.
#   libclquant0.2    the shared library                     component runtime
#   libclquant-dev   headers, both libraries, documentation component development, documentation
#   clquant          the command and its manual page        component command
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME clquant)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each has its own
set(CPACK_PACKAGE_CONTACT "clquant maintainers <maintainers@clquant.invalid>" CACHE STRING "Maintainer of the packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian.cmake)

set(CPACK_COMPONENTS_ALL runtime development documentation)
if(TARGET clquant_command)
  list(APPEND CPACK_COMPONENTS_ALL command)
endif()
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENT_RUNTIME_GROUP runtime)
set(CPACK_COMPONENT_DEVELOPMENT_GROUP development)
set(CPACK_COMPONENT_DOCUMENTATION_GROUP development)
set(CPACK_COMPONENT_COMMAND_GROUP command)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}) # the command needs the library, which is in no package yet
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(runtime_package libclquant${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
# The version that a program needs is that of the newest function it calls: host/symbols.txt has a version a function.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/symbols.txt symbols REGEX "^clq_")
list(TRANSFORM symbols REPLACE "^(.*) (.*)$" " \\1@Base \\2")
list(JOIN symbols "\n" symbols)
file(WRITE ${PROJECT_BINARY_DIR}/debian/symbols
  "libclquant.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} ${runtime_package} #MINVER#\n${symbols}\n")
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/symbols ${PROJECT_BINARY_DIR}/debian/triggers)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${runtime_package})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "pocl-opencl-icd | opencl-icd")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "quantization into caches on any OpenCL device - shared library
clquant quantizes tensors, packs int4 and scatters the result into key and
value caches that live on the device, in one call, with the same bytes on
every OpenCL device.
.
This package has the shared library.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libclquant-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "${runtime_package} (= ${PROJECT_VERSION}), ocl-icd-opencl-dev, opencl-c-headers, libdlpack-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "quantization into caches on any OpenCL device - development files
clquant quantizes tensors, packs int4 and scatters the result into key and
value caches that live on the device, in one call, with the same bytes on
every OpenCL device.
.
This package has the headers, the static library, what CMake and pkg-config
look for, documentation and examples.")

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME clquant)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "pocl-opencl-icd | opencl-icd")
set(CPACK_DEBIAN_COMMAND_DESCRIPTION "quantization of safetensors files on any OpenCL device
clquant quantizes tensors, packs int4 and scatters the result into key and
value caches that live on the device, in one call, with the same bytes on
every OpenCL device.
.
This package has the command, which does this to tensors in safetensors
files, and compares and measures the library on a device.")
if(BUILD_SHARED_LIBS)
  set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "${runtime_package} (= ${PROJECT_VERSION})")
endif()
include(CPack)
