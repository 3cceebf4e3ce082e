# SPDX-License-Identifier: Apache-2.0
# The library beside the package's modules, which look for this name there, the device header, and the command in bin, where it is built.
# Component: python.
install(FILES $<TARGET_FILE:clquant_shared> DESTINATION clquant RENAME libclquant.so COMPONENT python)
install(FILES ${clquant_CLH} DESTINATION clquant/include/clquant COMPONENT python)
add_custom_target(clquant_package DEPENDS clquant_shared)
if(CLQ_BUILD_COMMAND)
  add_dependencies(clquant_package clquant_command)
  install(PROGRAMS $<TARGET_FILE:clquant_command> DESTINATION clquant/bin COMPONENT python)
endif()
