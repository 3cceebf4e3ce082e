/* SPDX-License-Identifier: Apache-2.0 */
/* The results as JSON. */
#include "../output_file.h"
#include "report.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Six digits say all that a timing says. A figure that a row does not have is left out. */
static bool add_figure(cJSON *object, const char *name, double value)
{
    const double unit = value > 0 ? pow(10, floor(log10(value)) - 5) : 1;

    return value <= 0 || cJSON_AddNumberToObject(object, name, round(value / unit) * unit) != NULL;
}

static bool add_text(cJSON *object, const char *name, const char *text)
{
    return !text || cJSON_AddStringToObject(object, name, text) != NULL;
}

static bool add_shape(cJSON *object, const struct report_row *row)
{
    cJSON *shape = row->ndim > 0 ? cJSON_AddArrayToObject(object, "shape") : NULL;

    for (int i = 0; i < row->ndim; i++)
        if (!cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)row->shape[i])))
            return false;
    return true;
}

static bool add_peers(cJSON *object, const struct report_row *row)
{
    cJSON *vs = row->peers > 0 ? cJSON_AddObjectToObject(object, "vs") : NULL;

    for (size_t i = 0; i < row->peers; i++)
        if (!add_figure(vs, row->vs[i].name, row->vs[i].ratio))
            return false;
    return true;
}

static bool add_row(cJSON *rows, const struct report_row *row)
{
    cJSON *object = cJSON_CreateObject();

    if (!cJSON_AddItemToArray(rows, object)) {
        cJSON_Delete(object);
        return false;
    }
    return add_text(object, "operator", row->operator_name) && add_text(object, "src", row->src) &&
           add_text(object, "dst", row->dst) && add_text(object, "mode", row->mode) &&
           (!row->has_axis || cJSON_AddNumberToObject(object, "axis", row->axis)) && add_shape(object, row) &&
           add_text(object, "note", row->note) &&
           (row->bytes <= 0 || cJSON_AddNumberToObject(object, "bytes", row->bytes)) &&
           add_figure(object, "median_s", row->median_s) && add_figure(object, "gbps", row->gbps) &&
           add_figure(object, "share_of_stream", row->share_of_stream) &&
           add_figure(object, "share_of_copy", row->share_of_copy) &&
           add_figure(object, "share_of_memcpy", row->share_of_memcpy) && add_peers(object, row);
}

static bool add_all(cJSON *top, const struct report *report)
{
    cJSON *device = cJSON_AddObjectToObject(top, "device");
    cJSON *rows = NULL;

    if (!add_text(device, "name", report->device) || !add_text(device, "driver", report->driver) ||
        !add_text(device, "type", report->type) || !add_figure(top, "copy_gbps", report->copy_gbps) ||
        !add_figure(top, "memcpy_gbps", report->memcpy_gbps))
        return false;
    rows = cJSON_AddArrayToObject(top, "rows");
    for (size_t i = 0; i < report->count; i++)
        if (!add_row(rows, &report->rows[i]))
            return false;
    return rows != NULL &&
           (report->not_run == 0 || cJSON_AddNumberToObject(top, "not_run", (double)report->not_run));
}

bool report_write_json(const struct report *report, const char *path, struct failure *failure)
{
    struct output_file file = {0};
    cJSON *top = cJSON_CreateObject();
    char *text = NULL;
    bool done = false;

    if (top && add_all(top, report))
        text = cJSON_Print(top);
    if (!text)
        fail(failure, STATUS_SYSTEM, "bench: no memory for the JSON of %zu rows", report->count);
    else if (output_file_create(&file, "--json", path, failure)) {
        done = output_file_write(&file, text, strlen(text), failure) &&
               output_file_write(&file, "\n", 1, failure) && output_file_commit(&file, failure);
        if (!done)
            output_file_discard(&file);
    }
    cJSON_free(text);
    cJSON_Delete(top);
    return done;
}
