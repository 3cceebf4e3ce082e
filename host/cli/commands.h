/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands. argv[0] is the subcommand's own name, what follows are its arguments; the result is the
 * exit status. */
#ifndef CLQUANT_CLI_COMMANDS_H
#define CLQUANT_CLI_COMMANDS_H

#include <clquant/options.h>

int devices_main(int argc, char **argv);
int selftest_main(int argc, char **argv);
int cache_main(int argc, char **argv);
int list_main(int argc, char **argv);
int quantize_model_main(int argc, char **argv);

/* Defined in bench/. */
int bench_main(int argc, char **argv);

/* The operators, in the order of the help: the library's, and documented calls. Each is a struct
 * operator_description of operators/. */
#define COMMAND_OPERATORS(X)                                                                                 \
    CLQ_OPERATOR_LIST(X)                                                                                     \
    X(npu_quantize)                                                                                          \
    X(npu_group_quant)                                                                                       \
    X(npu_quant_scatter)                                                                                     \
    X(npu_quant_scatter_in_place)                                                                            \
    X(npu_anti_quant)                                                                                        \
    X(npu_scatter_nd_update)                                                                                 \
    X(npu_scatter_nd_update_in_place)                                                                        \
    X(scatter_update)                                                                                        \
    X(scatter_update_in_place)                                                                               \
    X(npu_scatter_pa_kv_cache)                                                                               \
    X(npu_dynamic_quant)                                                                                     \
    X(npu_dynamic_quant_asymmetric)                                                                          \
    X(npu_dynamic_mx_quant)                                                                                  \
    X(npu_dynamic_block_quant)                                                                               \
    X(dynamic_quant_update_scatter_v2)

struct operator_description;
#define COMMAND_OPERATOR_DECLARE(name) extern const struct operator_description name##_operator;
COMMAND_OPERATORS(COMMAND_OPERATOR_DECLARE)
#undef COMMAND_OPERATOR_DECLARE

#endif
