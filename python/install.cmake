# SPDX-License-Identifier: Apache-2.0
# The library beside the package's modules, which look for this name there. Component: python.
install(FILES $<TARGET_FILE:clquant_shared> DESTINATION clquant RENAME libclquant.so COMPONENT python)
