# SPDX-License-Identifier: Apache-2.0
# The reader of files against any bytes: a replay of the corpus for every compiler, and a fuzzer with clang.
#   safetensors_fuzz FOLDER -max_total_time=60     FOLDER: a corpus that corpus.py has unpacked
add_executable(safetensors_replay ${CMAKE_CURRENT_LIST_DIR}/safetensors_fuzz.c
  ${CMAKE_CURRENT_LIST_DIR}/replay.c)
target_compile_definitions(safetensors_replay PRIVATE _GNU_SOURCE)
target_link_libraries(safetensors_replay PRIVATE clquant_safetensors clquant_warnings)
add_test(NAME fuzz.safetensors_replay COMMAND safetensors_replay ${PROJECT_SOURCE_DIR}/tests/data/fuzz/safetensors.hex)
set_tests_properties(fuzz.safetensors_replay PROPERTIES LABELS "fuzz;sanitize" TIMEOUT 120)

if(CMAKE_C_COMPILER_ID MATCHES Clang AND NOT CLQ_SANITIZE MATCHES thread)
  # The reader is compiled again: the fuzzer must see its branches.
  get_target_property(safetensors_sources clquant_safetensors SOURCES)
  list(TRANSFORM safetensors_sources PREPEND ${PROJECT_SOURCE_DIR}/host/cli/)
  add_executable(safetensors_fuzz ${CMAKE_CURRENT_LIST_DIR}/safetensors_fuzz.c ${safetensors_sources})
  target_include_directories(safetensors_fuzz PRIVATE ${PROJECT_SOURCE_DIR}/host/cli)
  target_compile_definitions(safetensors_fuzz PRIVATE _GNU_SOURCE)
  target_compile_options(safetensors_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
  target_link_options(safetensors_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
  target_link_libraries(safetensors_fuzz PRIVATE dlpack::dlpack PkgConfig::CJSON clquant_warnings)
endif()
