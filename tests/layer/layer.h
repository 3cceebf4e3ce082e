/* SPDX-License-Identifier: Apache-2.0 */
/* A layer between the OpenCL loader and the driver, which changes what programs see of a device. CLQ_LAYER
 * says what, in words with commas between them; README.md has the list. A word that is none of it ends the
 * process. */
#ifndef CLQUANT_LAYER_H
#define CLQUANT_LAYER_H

#undef CL_TARGET_OPENCL_VERSION /* the tree's is 120; a layer knows every function */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <stdbool.h>

/* The functions beneath the layer. */
extern cl_icd_dispatch layer_below;

/* Replaces functions of the table that programs get: each layer's own. The fault layer has another one. */
void layer_place(cl_icd_dispatch *above);

/* The text behind NAME= in CLQ_LAYER, "" of a word alone; NULL: the word is not there. */
const char *layer_option(const char *name);

/* The parts of this layer: each replaces what its words ask for. */
void layer_place_build(cl_icd_dispatch *above);
void layer_place_commands(cl_icd_dispatch *above);
void layer_place_device(cl_icd_dispatch *above);
void layer_place_fresh(cl_icd_dispatch *above);

/* What clGetDeviceInfo says of an extension's version, in layer/commands.c. */
void layer_newer_commands(void *extensions, size_t size_bytes);

#endif
