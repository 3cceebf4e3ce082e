# SPDX-License-Identifier: Apache-2.0
# Fails when the library calls an OpenCL function that the fault layer does not know:
# cmake -DNM=nm -DLIBRARY=libclquant.a -DLAYER=layer.c -P list.cmake
execute_process(COMMAND ${NM} -u ${LIBRARY} OUTPUT_VARIABLE symbols RESULT_VARIABLE result)
file(READ ${LAYER} layer)
string(REGEX MATCHALL "U cl[A-Z][A-Za-z0-9]*" calls "${symbols}")
list(REMOVE_DUPLICATES calls)
list(LENGTH calls count)
if(NOT result EQUAL 0 OR count LESS 10)
  message(FATAL_ERROR "nm found ${count} OpenCL calls in ${LIBRARY}")
endif()
foreach(call IN LISTS calls)
  string(REGEX REPLACE "^U " "" name ${call})
  string(REGEX REPLACE "^cl(Retain|Release)" "" kind ${name})
  if(NOT layer MATCHES "${name}[^A-Za-z]" AND NOT layer MATCHES "X\\(${kind}, ")
    message(SEND_ERROR "the library calls ${name}: add it to the lists of ${LAYER}")
  endif()
endforeach()
message(STATUS "${count} OpenCL calls, all in the layer")
