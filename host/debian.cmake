# SPDX-License-Identifier: Apache-2.0
# What Debian's policy asks of each package besides, run by cpack on the staged files: a copyright and a changelog under the
# package's name, and compressed manual pages.
find_program(GZIP gzip REQUIRED)
function(compress file)
  execute_process(COMMAND ${GZIP} -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC) # or SOURCE_DATE_EPOCH
foreach(group IN ITEMS runtime development command)
  string(TOUPPER ${group} GROUP)
  set(package ${CPACK_DEBIAN_${GROUP}_PACKAGE_NAME})
  set(staged ${CPACK_TEMPORARY_DIRECTORY}/${group}${CPACK_PACKAGING_INSTALL_PREFIX})
  if(NOT IS_DIRECTORY ${staged})
    continue()
  endif()
  set(doc ${staged}/share/doc/${package})
  file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: clquant

Files: *
Copyright: 2026 the clquant authors
License: Apache-2.0
 On Debian systems the text of the licence is in
 /usr/share/common-licenses/Apache-2.0.
")
  file(WRITE ${doc}/changelog "clquant (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Built by cpack. What changed is in CHANGELOG.md of libclquant-dev.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
  compress(${doc}/changelog)
  file(GLOB pages ${staged}/share/man/man*/*.[1-9])
  foreach(page IN LISTS pages)
    compress(${page})
  endforeach()
endforeach()
# The licence, which is in copyright.
file(REMOVE_RECURSE ${CPACK_TEMPORARY_DIRECTORY}/runtime${CPACK_PACKAGING_INSTALL_PREFIX}/share/doc/clquant)
