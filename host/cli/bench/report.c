/* SPDX-License-Identifier: Apache-2.0 */
/* The rows, and how they look as text and as JSON. */
#include "report.h"

#include "../output_file.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool report_add(struct report *report, const struct report_row *row, struct failure *failure)
{
    struct report_row *rows = realloc(report->rows, (report->count + 1) * sizeof *rows);

    if (!rows)
        return fail(failure, STATUS_SYSTEM, "bench: no memory for a row");
    rows[report->count++] = *row;
    report->rows = rows;
    return true;
}

void report_clear(struct report *report)
{
    free(report->rows);
}

void report_print_head(const struct report *report)
{
    printf("%s, driver %s, %s; %.0f MiB of input\n", report->device, report->driver, report->type,
           report->input_mib);
    printf("GB/s: bytes read once and written once. of stream: our rate over its.\n\n");
    printf("%-24s %-8s %-5s %-10s %8s %7s %7s  %s\n", "operator", "from", "to", "mode", "ms", "GB/s",
           "stream", "note");
}

void report_print_row(const struct report_row *row)
{
    printf("%-24s %-8s %-5s %-10s %8.3f %7.1f", row->operator_name, row->src, row->dst, row->mode,
           row->median_s * 1e3, row->gbps);
    if (row->share_of_stream > 0)
        printf(" %7.2f  ", row->share_of_stream);
    else
        printf(" %7s  ", "");
    if (row->peer)
        printf("%s %.2f, ", row->peer, row->ratio);
    printf("%s\n", row->note);
    fflush(stdout);
}

/* Six digits say all that a timing says. A figure that a row does not have is left out. */
static void add_figure(cJSON *object, const char *name, double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.6g", value);
    if (value > 0)
        cJSON_AddRawToObject(object, name, text);
}

static void add_row(cJSON *rows, const struct report_row *row)
{
    cJSON *object = cJSON_CreateObject(), *shape = NULL;

    cJSON_AddItemToArray(rows, object);
    cJSON_AddStringToObject(object, "operator", row->operator_name);
    cJSON_AddStringToObject(object, "src", row->src);
    cJSON_AddStringToObject(object, "dst", row->dst);
    cJSON_AddStringToObject(object, "mode", row->mode);
    shape = cJSON_AddArrayToObject(object, "shape");
    for (int i = 0; i < row->ndim; i++)
        cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)row->shape[i]));
    cJSON_AddStringToObject(object, "note", row->note);
    if (row->bytes > 0)
        cJSON_AddNumberToObject(object, "bytes", row->bytes);
    add_figure(object, "median_s", row->median_s);
    add_figure(object, "gbps", row->gbps);
    add_figure(object, "share_of_stream", row->share_of_stream);
    if (row->peer)
        add_figure(cJSON_AddObjectToObject(object, "vs"), row->peer, row->ratio);
}

static void add_all(cJSON *top, const struct report *report)
{
    cJSON *device = cJSON_AddObjectToObject(top, "device"), *rows = NULL;

    cJSON_AddStringToObject(device, "name", report->device);
    cJSON_AddStringToObject(device, "driver", report->driver);
    cJSON_AddStringToObject(device, "type", report->type);
    rows = cJSON_AddArrayToObject(top, "rows");
    for (size_t i = 0; i < report->count; i++)
        add_row(rows, &report->rows[i]);
    if (report->not_run > 0)
        cJSON_AddNumberToObject(top, "not_run", (double)report->not_run);
}

bool report_write(const char *option, const char *path, const char *text, struct failure *failure)
{
    struct output_file file = {0};

    if (!output_file_create(&file, option, path, failure))
        return false;
    if (output_file_write(&file, text, strlen(text), failure) && output_file_commit(&file, failure))
        return true;
    output_file_discard(&file);
    return false;
}

bool report_write_json(const struct report *report, const char *path, struct failure *failure)
{
    cJSON *top = cJSON_CreateObject();
    char *text = NULL;
    bool done = false;

    add_all(top, report);
    text = cJSON_Print(top);
    done = text ? report_write("--json", path, text, failure)
                : fail(failure, STATUS_SYSTEM, "bench: no memory for the JSON of %zu rows", report->count);
    cJSON_free(text);
    cJSON_Delete(top);
    return done;
}
