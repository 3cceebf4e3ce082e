# SPDX-License-Identifier: Apache-2.0
# Writes clquant.clh, the device header as one file, for kernels of users: cmake -DROOT=cl -DOUT=clquant.clh -P cl/flatten.cmake
# What it includes of the library's own loses its comments, and all that is defined there is renamed: clq_x becomes clq__x, and x without
# that prefix clq__plain_x. So nothing is written twice, and no name of a user's is taken.
cmake_minimum_required(VERSION 3.22)

file(READ "${ROOT}/device_header.clh" text)
set(parts "") # what defines the names that are renamed
set(seen "")

# A part stands where it is included first.
while(text MATCHES "#include \"([^\"]+)\"\n")
  set(line "${CMAKE_MATCH_0}")
  set(file "${CMAKE_MATCH_1}")
  set(part "")
  if(NOT file IN_LIST seen)
    list(APPEND seen ${file})
    file(READ "${ROOT}/${file}" part)
    string(REGEX REPLACE "/\\*[^*]*\\*+([^/*][^*]*\\*+)*/" "" part "${part}")
    string(REGEX REPLACE "[ \t]*//[^\n]*" "" part "${part}")
    string(REGEX REPLACE "\n\n+" "\n" part "${part}")
    string(APPEND parts "${part}")
  endif()
  string(REPLACE "${line}" "${part}" text "${text}")
endwhile()

# The words that are defined, and those that are parts of words (widen_ of widen_i8).
string(REGEX MATCHALL "#define +[A-Za-z0-9_]+|inline [A-Za-z0-9_ ]+\\(|struct [A-Za-z0-9_]+ {|[A-Z0-9_]+\\([a-z_0-9]+_,|[a-z_0-9]+_##" defined "${parts}")
set(names ARITHMETIC STORE_HALF CLQ_RECIPROCAL)
foreach(words IN LISTS defined)
  string(REGEX REPLACE "[^A-Za-z0-9_]+$" "" words "${words}")
  string(REGEX MATCH "[A-Za-z0-9_]+$" name "${words}")
  list(APPEND names ${name})
endforeach()
list(REMOVE_DUPLICATES names)

# Twice, for two words may share what is between them.
foreach(pass RANGE 1)
  foreach(name IN LISTS names)
    string(TOUPPER "${name}" upper)
    set(prefix clq__)
    if(name STREQUAL upper)
      set(prefix CLQ__)
    endif()
    string(REGEX REPLACE "^plain_(clq|CLQ)_" "${prefix}" own "plain_${name}")
    string(REGEX REPLACE "^plain_" "${prefix}plain_" own "${own}")
    string(REGEX REPLACE "([^A-Za-z0-9_])${name}([^A-Za-z0-9_])" "\\1${own}\\2" text "${text}")
  endforeach()
endforeach()
file(WRITE "${OUT}" "${text}")
