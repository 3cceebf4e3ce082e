# SPDX-License-Identifier: Apache-2.0
# Writes every kernel file as a table of bytes: cmake -DROOT=cl -DOUT=files.c -DFILES=a.cl;base/b.clh -P embed.cmake
# Bytes need no escaping, and no other language is needed to build. ROOT's variants.txt comes as one text.
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
read_bytes(variants.txt bytes)
string(APPEND text "const char clq__variants[] = {${bytes}0x00};\n")
file(WRITE "${OUT}" "${text}")
