/* SPDX-License-Identifier: Apache-2.0 */
/* The element types of the format. Those that the library does not compute with are known too, so that a file
 * may hold tensors which no argument needs. */
#include "safetensors.h"

#include <string.h>

const struct safetensors_type safetensors_types[] = {
    {"F32", 32, "float32"},
    {"F16", 16, "float16"},
    {"BF16", 16, "bfloat16"},
    {"I8", 8, "int8"},
    {"U8", 8, "uint8"},
    {"I32", 32, "int32"},
    {"I64", 64, "int64"},
    {"F8_E4M3", 8, "float8_e4m3fn"},
    {"F8_E5M2", 8, "float8_e5m2"},
    {"BOOL", 8, NULL},
    {"F4", 4, "float4_e2m1fn"},
    {"F6_E2M3", 6, NULL},
    {"F6_E3M2", 6, NULL},
    {"F8_E8M0", 8, "float8_e8m0fnu"},
    {"F8_E4M3FNUZ", 8, NULL},
    {"F8_E5M2FNUZ", 8, NULL},
    {"I16", 16, NULL},
    {"U16", 16, NULL},
    {"U32", 32, NULL},
    {"U64", 64, NULL},
    {"F64", 64, NULL},
    {"C64", 64, NULL},
    {NULL, 0, NULL},
};

const struct safetensors_type *safetensors_type_find(const char *name)
{
    for (const struct safetensors_type *type = safetensors_types; type->name; type++)
        if (strcmp(type->name, name) == 0)
            return type;
    return NULL;
}

const struct safetensors_type *safetensors_type_of(const char *element)
{
    for (const struct safetensors_type *type = safetensors_types; element && type->name; type++)
        if (type->element && strcmp(type->element, element) == 0)
            return type;
    return NULL;
}
