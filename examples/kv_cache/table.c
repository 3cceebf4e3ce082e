/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, and the table. */
#include "table.h"

#include <math.h>
#include <stdio.h>

double table_rms(const float *outputs, size_t count)
{
    double squares = 0.0;

    for (size_t i = 0; i < count; i++)
        squares += (double)outputs[i] * (double)outputs[i];
    return sqrt(squares / (double)count);
}

void table_errors(const float *outputs, const float *right, size_t count, struct result *result)
{
    double squares = 0.0;

    result->max_error = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double error = fabs((double)outputs[i] - (double)right[i]);

        result->max_error = error > result->max_error || isnan(error) ? error : result->max_error;
        squares += error * error;
    }
    result->rms_error = sqrt(squares / (double)count);
}

void table_print(const struct result *results, int count)
{
    printf("| %-21s | bytes per token |  saved | max error | RMS error | quantize+scatter | dequantize | "
           "products |\n",
           "cache");
    printf("|:----------------------|----------------:|-------:|----------:|----------:|-----------------:|"
           "-----------:|---------:|\n");
    for (int i = 0; i < count; i++)
        printf("| %-21s | %15zu | %4.1f %% | %9.5f | %9.5f | %13.0f µs | %7.0f µs | %5.0f µs |\n",
               results[i].format->name, results[i].token_bytes,
               100.0 * (1.0 - (double)results[i].token_bytes / (double)results[0].token_bytes),
               results[i].max_error, results[i].rms_error, results[i].put_us, results[i].get_us,
               results[i].products_us);
}
