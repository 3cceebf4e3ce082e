/* SPDX-License-Identifier: Apache-2.0 */
/* Under the layer: in one context the driver builds a text once. Every fault makes a path run anew, and the
 * driver's compiler would be nearly all of the time; the calls of the library, and which of them fails, are
 * the same. */
#ifndef CLQUANT_FAULTS_BUILDS_H
#define CLQUANT_FAULTS_BUILDS_H

#include "layer/layer.h"

/* Takes the place of the driver's calls that build and of those that ask what was built. */
void builds_below(cl_icd_dispatch *target);

/* From now on in this context; NULL: in none, and what was built is released. */
void builds_once_in(const void *context);

#endif
