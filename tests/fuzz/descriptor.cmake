# SPDX-License-Identifier: Apache-2.0
# Any descriptor at an operator: random bytes and a replay of the corpus for every compiler, and a fuzzer with clang.
#   fuzz_quantize FOLDER -max_total_time=60 -max_len=96     FOLDER: a corpus that corpus.py has unpacked
set(descriptor_environment ${driver_environment})
if(CLQ_SANITIZE)
  list(APPEND descriptor_environment "OCL_ICD_VENDORS=pocl.icd") # Mesa's C++ and sanitizers do not go together
endif()

if(CMAKE_C_COMPILER_ID MATCHES Clang AND NOT CLQ_SANITIZE MATCHES thread)
  # The library is compiled again: the fuzzers must see its branches.
  get_target_property(library_sources clquant_objects SOURCES)
  list(TRANSFORM library_sources PREPEND ${PROJECT_SOURCE_DIR}/host/ REGEX "^[a-z]")
  set_source_files_properties(${PROJECT_BINARY_DIR}/host/files.c PROPERTIES GENERATED ON)
  add_library(clquant_fuzzed STATIC ${library_sources})
  add_dependencies(clquant_fuzzed clquant_objects) # which makes files.c
  target_include_directories(clquant_fuzzed PRIVATE ${PROJECT_SOURCE_DIR}/host ${PROJECT_SOURCE_DIR}/cl
    PUBLIC ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(clquant_fuzzed PRIVATE _GNU_SOURCE)
  target_compile_options(clquant_fuzzed PRIVATE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  target_link_libraries(clquant_fuzzed PUBLIC OpenCL::OpenCL dlpack::dlpack Threads::Threads
    PRIVATE clquant_warnings)
endif()

# What the operators share, and the two programs around one: an object each.
set(shared descriptor_call.c descriptor_places.c descriptor_rules.c descriptor_tensor.c)
add_library(descriptor_shared STATIC ${shared})
target_link_libraries(descriptor_shared PUBLIC clquant::clquant clquant_reference PRIVATE clquant_warnings)
add_library(descriptor_random OBJECT descriptor_random.c)
add_library(descriptor_replay OBJECT replay.c)
target_compile_definitions(descriptor_replay PRIVATE _GNU_SOURCE)
foreach(name IN ITEMS random replay)
  target_link_libraries(descriptor_${name} PRIVATE clquant::clquant clquant_reference clquant_warnings)
endforeach()
if(TARGET clquant_fuzzed)
  add_library(descriptor_shared_fuzzed STATIC ${shared})
  target_compile_options(descriptor_shared_fuzzed
    PRIVATE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  target_link_libraries(descriptor_shared_fuzzed PUBLIC clquant_fuzzed clquant_reference PRIVATE clquant_warnings)
endif()

foreach(operator IN ITEMS dequantize dynamic group quantize scales scatter)
  add_library(descriptor_${operator} OBJECT descriptor_${operator}.c)
  target_link_libraries(descriptor_${operator} PRIVATE clquant::clquant clquant_reference clquant_warnings)
  foreach(name IN ITEMS random replay)
    add_executable(${operator}_${name} $<TARGET_OBJECTS:descriptor_${operator}> $<TARGET_OBJECTS:descriptor_${name}>)
    target_link_libraries(${operator}_${name} PRIVATE descriptor_shared)
  endforeach()
  add_test(NAME fuzz.${operator}_random COMMAND ${operator}_random 20000)
  add_test(NAME fuzz.${operator}_replay COMMAND ${operator}_replay ${PROJECT_SOURCE_DIR}/tests/data/fuzz/${operator}.hex)
  set_tests_properties(fuzz.${operator}_random fuzz.${operator}_replay PROPERTIES LABELS "fuzz;sanitize" TIMEOUT 240
    ENVIRONMENT "${descriptor_environment}")

  if(TARGET clquant_fuzzed)
    add_executable(fuzz_${operator} descriptor_${operator}.c)
    target_compile_options(fuzz_${operator} PRIVATE -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
    target_link_options(fuzz_${operator} PRIVATE -fsanitize=fuzzer,address,undefined)
    target_link_libraries(fuzz_${operator} PRIVATE descriptor_shared_fuzzed clquant_warnings)
  endif()
endforeach()
