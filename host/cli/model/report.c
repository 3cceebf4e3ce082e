/* SPDX-License-Identifier: Apache-2.0 */
/* What was done, on stdout. */
#include "model.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 10 };

static uint64_t bytes_of(const struct safetensors_tensor *tensors, size_t count)
{
    uint64_t bytes = 0;

    for (size_t t = 0; t < count; t++)
        bytes += tensors[t].end - tensors[t].begin;
    return bytes;
}

/* The worst first: what is no number is worse than any. */
static int by_error(const void *a, const void *b)
{
    const struct model_tensor *p = *(const struct model_tensor *const *)a,
                              *q = *(const struct model_tensor *const *)b;
    const double x = isnan(p->error) ? HUGE_VAL : p->error, y = isnan(q->error) ? HUGE_VAL : q->error;

    if (x != y)
        return x > y ? -1 : 1;
    return strcmp(p->source->name, q->source->name);
}

static void print_errors(const struct model_tensor **list, size_t count)
{
    if (count == 0)
        return;
    qsort(list, count, sizeof *list, by_error);
    printf("largest errors, root mean square in per cent of the tensor's own:\n");
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        tame(list[i]->source->name);
        printf("  %8.3f  %s\n", list[i]->error * 100, list[i]->source->name);
    }
    if (count > SHOWN)
        printf("  and %zu smaller ones\n", count - SHOWN);
}

/* A sentence on stderr: who reads OUT meets these values. */
static void warn(const struct model_tensor *const *list, size_t count)
{
    char text[SHOWN * 256] = "";
    size_t used = 0, found = 0;
    uint64_t lost = 0;

    for (size_t i = 0; i < count; i++) {
        lost += list[i]->lost;
        if (list[i]->not_finite > 0 && found++ < SHOWN)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%.200s %ju", used > 0 ? ", " : "",
                                     list[i]->source->name, (uintmax_t)list[i]->not_finite);
    }
    if (found > SHOWN)
        snprintf(text + used, sizeof text - used, " and %zu matrices more", found - SHOWN);
    if (found > 0 && lost > 0)
        complain("weights are NaN or infinite: %s; besides, %ju finite ones come back as no number", text,
                 (uintmax_t)lost);
    else if (found > 0)
        complain("weights are NaN or infinite: %s", text);
    else if (lost > 0)
        complain("%ju finite weights come back as no number", (uintmax_t)lost);
}

static void print_totals(const struct model *model)
{
    uint64_t before = 0, after = 0;
    size_t tensors = 0, quantized = 0, kept = 0, shards = 0;

    for (size_t i = 0; i < model->shard_count; i++) {
        const struct model_shard *shard = &model->shards[i];

        if (shard->left_out)
            continue;
        shards++;
        before += bytes_of(shard->file.tensors, shard->file.count);
        after += bytes_of(shard->out, shard->out_count);
        tensors += shard->tensor_count;
        kept += shard->was_there;
        for (size_t t = 0; t < shard->tensor_count; t++)
            quantized += shard->tensors[t].quantized;
    }
    printf("%zu of %zu tensors quantized to %s, %ju bytes of data became %ju\n", quantized, tensors,
           model->options.dtype_name, (uintmax_t)before, (uintmax_t)after);
    if (kept > 0)
        printf("%zu of %zu shards were there already\n", kept, shards);
    if (model->options.to == MODEL_COMPRESSED_TENSORS && !model->config)
        printf("no config.json is beside the input: readers need its quantization_config\n");
}

/* The matrices of this run's shards that are quantized. */
static const struct model_tensor **list_quantized(const struct model *model, size_t *listed)
{
    const struct model_tensor **list = NULL;
    size_t count = 0;

    for (size_t i = 0; i < model->shard_count; i++)
        count += model->shards[i].tensor_count;
    list = malloc((count + 1) * sizeof *list);
    *listed = 0;
    for (size_t i = 0; list && i < model->shard_count; i++)
        for (size_t t = 0; t < model->shards[i].tensor_count; t++)
            if (model->shards[i].tensors[t].quantized && !model->shards[i].left_out)
                list[(*listed)++] = &model->shards[i].tensors[t];
    return list;
}

/* An error that is no number is null: JSON has none. */
bool model_write_errors(struct model *model)
{
    const char *path = model->options.json_path;
    struct output_file file = {.fd = -1};
    size_t count = 0;
    const struct model_tensor **list = path ? list_quantized(model, &count) : NULL;
    cJSON *root = list ? cJSON_CreateObject() : NULL;
    char *text = NULL;
    bool ok = root != NULL;

    for (size_t i = 0; ok && i < count; i++)
        ok = cJSON_AddNumberToObject(root, list[i]->source->name, list[i]->error) != NULL;
    text = ok ? cJSON_Print(root) : NULL;
    ok = !path ||
         ((text || fail(model->failure, STATUS_SYSTEM, "--json %s: no memory for its text", path)) &&
          model_create_json(model, &file) && output_file_write(&file, text, strlen(text), model->failure) &&
          output_file_commit(&file, model->failure));
    output_file_discard(&file);
    cJSON_free(text);
    cJSON_Delete(root);
    free(list);
    return ok;
}

void model_report(const struct model *model)
{
    size_t count = 0;
    const struct model_tensor **list = list_quantized(model, &count);

    model_print_advice(model);
    model_print_experts(model);
    print_totals(model);
    if (list)
        print_errors(list, count);
    if (list)
        warn(list, count);
    free(list);
    model_print_left(model);
    if (model->options.shards.count == 0)
        model_list_print(&model->copies, "copied beside it");
    model_list_print(&model->old, model->options.clean
                                      ? "removed, for an earlier run left it in OUT"
                                      : "left in OUT by an earlier run (--clean removes it)");
}
