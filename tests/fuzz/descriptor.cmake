# SPDX-License-Identifier: Apache-2.0
# Any call of any operator: a replay of the corpus for every compiler, and a fuzzer with clang. On the stub, whose kernels
# tests/seam runs: a CPU with PoCL's name, for which the library does the most, and a GPU.
set(descriptor_environment "OCL_ICD_VENDORS=$<TARGET_FILE:clq_stub>;${driver_environment};${stub_leaks}")
list(APPEND descriptor_environment "CLQ_STUB=platform=Portable Computing Language,type=cpu|type=gpu")

add_executable(descriptor_replay descriptor_fuzz.c replay.c)
target_compile_definitions(descriptor_replay PRIVATE _GNU_SOURCE)
target_link_libraries(descriptor_replay PRIVATE clquant_match clquant_warnings)
add_test(NAME fuzz.descriptor_replay COMMAND descriptor_replay ${PROJECT_SOURCE_DIR}/tests/data/fuzz/descriptor.hex)
set_tests_properties(fuzz.descriptor_replay PROPERTIES LABELS "fuzz;stub;sanitize" TIMEOUT 240
  ENVIRONMENT "${descriptor_environment}")

if(CMAKE_C_COMPILER_ID MATCHES Clang AND NOT CLQ_SANITIZE MATCHES thread)
  # What the fuzzer is to see the branches of is compiled again: the library, and what draws, changes and judges a call.
  get_target_property(library_sources clquant_objects SOURCES)
  list(TRANSFORM library_sources PREPEND ${PROJECT_SOURCE_DIR}/host/ REGEX "^[a-z]")
  set_source_files_properties(${PROJECT_BINARY_DIR}/host/files.c PROPERTIES GENERATED ON)
  get_target_property(operator_sources clquant_operators SOURCES)
  list(TRANSFORM operator_sources PREPEND ${PROJECT_SOURCE_DIR}/tests/operators/)
  get_target_property(harness_sources clquant_match SOURCES)
  list(TRANSFORM harness_sources PREPEND ${PROJECT_SOURCE_DIR}/tests/harness/)

  add_executable(fuzz_descriptor descriptor_fuzz.c ${harness_sources} ${operator_sources} ${library_sources})
  add_dependencies(fuzz_descriptor clquant_objects clq_stub) # the first makes files.c
  target_include_directories(fuzz_descriptor PRIVATE ${PROJECT_SOURCE_DIR}/tests/harness ${PROJECT_SOURCE_DIR}/tests/operators
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/host ${PROJECT_SOURCE_DIR}/cl)
  target_compile_definitions(fuzz_descriptor PRIVATE _GNU_SOURCE)
  target_compile_options(fuzz_descriptor PRIVATE -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
  target_link_options(fuzz_descriptor PRIVATE -fsanitize=fuzzer,address,undefined)
  target_link_libraries(fuzz_descriptor PRIVATE clquant_reference clquant_on_stub clquant_ways OpenCL::OpenCL dlpack::dlpack Threads::Threads
    clquant_warnings)
endif()
