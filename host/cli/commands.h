/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands. argv[0] is the subcommand's own name, what follows are its arguments; the result is the
 * exit status. */
#ifndef CLQUANT_CLI_COMMANDS_H
#define CLQUANT_CLI_COMMANDS_H

int devices_main(int argc, char **argv);
int selftest_main(int argc, char **argv);
int cache_main(int argc, char **argv);
int list_main(int argc, char **argv);

/* Defined in bench/. */
int bench_main(int argc, char **argv);

struct operator_description;
extern const struct operator_description quantize_operator;
extern const struct operator_description group_quantize_operator;
extern const struct operator_description quantize_scatter_operator;
extern const struct operator_description dequantize_operator;
extern const struct operator_description dynamic_quantize_operator;
extern const struct operator_description dynamic_quantize_scatter_operator;
extern const struct operator_description scales_operator;
extern const struct operator_description npu_quantize_operator;
extern const struct operator_description npu_group_quant_operator;
extern const struct operator_description npu_quant_scatter_operator;
extern const struct operator_description npu_quant_scatter_in_place_operator;
extern const struct operator_description dynamic_quant_update_scatter_v2_operator;

#endif
