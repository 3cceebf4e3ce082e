# Any descriptor at clq_quantize: random bytes and a replay of the corpus for every compiler, and a fuzzer with clang.
#   descriptor_fuzz CORPUS_FOLDER -max_total_time=60 -max_len=96
set(descriptor_sources ${CMAKE_CURRENT_LIST_DIR}/descriptor_fuzz.c ${CMAKE_CURRENT_LIST_DIR}/descriptor_rules.c)
add_executable(descriptor_random ${descriptor_sources} ${CMAKE_CURRENT_LIST_DIR}/descriptor_random.c)
add_executable(descriptor_replay ${descriptor_sources} ${CMAKE_CURRENT_LIST_DIR}/safetensors_replay.c)
target_compile_definitions(descriptor_replay PRIVATE _GNU_SOURCE)
foreach(name IN ITEMS descriptor_random descriptor_replay)
  target_link_libraries(${name} PRIVATE clquant::clquant clquant_reference clquant_warnings)
endforeach()
add_test(NAME fuzz.descriptor_random COMMAND descriptor_random 20000)
add_test(NAME fuzz.descriptor_replay COMMAND descriptor_replay ${PROJECT_SOURCE_DIR}/tests/data/fuzz/descriptor)
set(descriptor_environment "CLQ_CACHE_DIR=${CMAKE_CURRENT_BINARY_DIR}/cache;${sanitizer_environment}")
if(CLQ_SANITIZE)
  list(APPEND descriptor_environment "OCL_ICD_VENDORS=pocl.icd") # Mesa's C++ and sanitizers do not go together
endif()
set_tests_properties(fuzz.descriptor_random fuzz.descriptor_replay PROPERTIES LABELS "fuzz;sanitize" TIMEOUT 240
  ENVIRONMENT "${descriptor_environment}")

if(CMAKE_C_COMPILER_ID MATCHES Clang AND NOT CLQ_SANITIZE MATCHES thread)
  # The library is compiled again: the fuzzer must see its branches.
  get_target_property(library_sources clquant_objects SOURCES)
  list(TRANSFORM library_sources PREPEND ${PROJECT_SOURCE_DIR}/host/ REGEX "^[a-z]")
  set_source_files_properties(${PROJECT_BINARY_DIR}/host/files.c PROPERTIES GENERATED ON)
  add_executable(descriptor_fuzz ${descriptor_sources} ${library_sources})
  add_dependencies(descriptor_fuzz clquant_objects) # which makes files.c
  target_include_directories(descriptor_fuzz PRIVATE ${PROJECT_SOURCE_DIR}/host ${PROJECT_SOURCE_DIR}/cl
    ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(descriptor_fuzz PRIVATE _GNU_SOURCE)
  target_compile_options(descriptor_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
  target_link_options(descriptor_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
  target_link_libraries(descriptor_fuzz PRIVATE clquant_reference OpenCL::OpenCL dlpack::dlpack Threads::Threads
    clquant_warnings)
endif()
