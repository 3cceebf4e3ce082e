/* SPDX-License-Identifier: Apache-2.0 */
/* The element types of the format. Those that the library does not compute with are known too, so that a file
 * may hold tensors which no argument needs. */
#include "safetensors.h"

#include <string.h>

static const struct safetensors_type types[] = {
    {"F32", 32, {kDLFloat, 32, 1}},
    {"F16", 16, {kDLFloat, 16, 1}},
    {"BF16", 16, {kDLBfloat, 16, 1}},
    {"I8", 8, {kDLInt, 8, 1}},
    {"U8", 8, {kDLUInt, 8, 1}},
    {"I32", 32, {kDLInt, 32, 1}},
    {"I64", 64, {kDLInt, 64, 1}},
    {"F8_E4M3", 8, {10, 8, 1}}, /* DLPack 1.1's kDLFloat8_e4m3fn and kDLFloat8_e5m2 */
    {"F8_E5M2", 8, {12, 8, 1}},
    {"BOOL", 8, {0}},
    {"F4", 4, {0}},
    {"F6_E2M3", 6, {0}},
    {"F6_E3M2", 6, {0}},
    {"F8_E8M0", 8, {0}},
    {"F8_E4M3FNUZ", 8, {0}},
    {"F8_E5M2FNUZ", 8, {0}},
    {"I16", 16, {0}},
    {"U16", 16, {0}},
    {"U32", 32, {0}},
    {"U64", 64, {0}},
    {"F64", 64, {0}},
    {"C64", 64, {0}},
};

const struct safetensors_type *safetensors_type_find(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

const struct safetensors_type *safetensors_type_of(DLDataType dtype)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].dtype.bits && memcmp(&types[i].dtype, &dtype, sizeof dtype) == 0)
            return &types[i];
    return NULL;
}

bool safetensors_type_is_float(const struct safetensors_type *type)
{
    return type->dtype.bits && (type->dtype.code == kDLFloat || type->dtype.code == kDLBfloat);
}
