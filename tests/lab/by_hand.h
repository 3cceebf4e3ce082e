/* SPDX-License-Identifier: Apache-2.0 */
/* A call's work as the hand-vectorized loops of peer.h and dynamic_peer.h do it, on the device's mapped memory. */
#ifndef CLQUANT_LAB_BY_HAND_H
#define CLQUANT_LAB_BY_HAND_H

#include "call.h"
#include "dynamic_peer.h"

struct by_hand {
    struct call *call;
    bool dynamic;
    struct peer_places places;
    struct peer_work work;
    struct peer_way way;
    struct dynamic_work dynamic_work;
    struct dynamic_way dynamic_way;
};

/* Whether there are such loops for the call's work, and the device is a CPU. */
bool by_hand_can(const struct bench *bench, const struct call *call);

/* Finds the fastest of the ways to run them. */
bool by_hand_init(struct bench *bench, struct by_hand *hand, struct call *call);

/* Once, with the call's next places. A contestant that works on x_host and y_host. */
bool by_hand_run(struct bench *bench, void *self);

#endif
