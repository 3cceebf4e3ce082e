# SPDX-License-Identifier: Apache-2.0
# Writes every kernel file as a table of bytes: cmake -DROOT=cl -DOUT=files.c -DFILES=a.cl;base/b.clh -P embed.cmake
# Bytes need no escaping, and no other language is needed to build. ROOT's variants.txt comes as one text,
# its sets written out.
function(read_bytes file out)
  file(READ "${ROOT}/${file}" hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  set(${out} "${bytes}" PARENT_SCOPE)
endfunction()

set(text "/* The files of cl/, written by cl/embed.cmake. */\n#include \"runtime/source.h\"\n\n")
set(table "")
set(count 0)
foreach(file IN LISTS FILES)
  read_bytes(${file} bytes)
  string(REGEX REPLACE "(................................................................................)" "\\1\n"
    bytes "${bytes}")
  string(APPEND text "static const unsigned char file_${count}[] = {\n${bytes}};\n\n")
  string(APPEND table "    {\"${file}\", file_${count}, sizeof file_${count}},\n")
  math(EXPR count "${count} + 1")
endforeach()
string(APPEND text "const struct clq__file clq__files[] = {\n${table}};\nconst size_t clq__num_files = ${count};\n")
# Sets, a line "@name a|b" each, stand in the place of their names.
file(STRINGS "${ROOT}/variants.txt" lines)
set(variants "")
foreach(line IN LISTS lines)
  if(line MATCHES "^@([a-z_]+) (.*)")
    set(set_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
    continue()
  endif()
  while(line MATCHES "@([a-z_]+)")
    string(REPLACE "${CMAKE_MATCH_0}" "${set_${CMAKE_MATCH_1}}" line "${line}")
  endwhile()
  string(APPEND variants "    \"${line}\\n\"\n")
endforeach()
string(APPEND text "const char clq__variants[] =\n${variants};\n")
file(WRITE "${OUT}" "${text}")
