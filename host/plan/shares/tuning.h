/* SPDX-License-Identifier: Apache-2.0 */
/* Every number that was measured for how calls are cut into launches. None changes a byte of a result. The
 * ones of cl/cpu itself are in cpu/tuning.h; room that kernels have is in cl/args and rotate.h. To tune
 * another GPU, change the first enum and run `clquant bench` of both builds in turn there. Figures are in
 * docs/kernels.md. */
#ifndef CLQ_PLAN_SHARES_TUNING_H
#define CLQ_PLAN_SHARES_TUNING_H

/* The form of a group: as measured on an H100. */
enum {
    CLQ__GROUP_ITEMS = 128,      /* work-items of a group, where the device has as many */
    CLQ__GROUP_ITEMS_SMALL = 64, /* of the kernels that widen parameters and claim places */
    CLQ__GROUPS_OF_UNIT = 16,    /* groups that a compute unit is given, where there are as many */

    /* Static rows (steps.c). */
    CLQ__LANE_STEPS = 16,       /* of a tile: to find its place costs a lane what several of them cost */
    CLQ__SHORT_ROW_LANES = 128, /* lanes that a row may have and be one step of many */
    CLQ__LINE_LANES = 16,       /* lanes that read whole lines of memory together */

    /* Dynamic rows (dynamic/cut.c). The work that a lane does once for a row costs what several chunks
     * cost, and fewer rows than the device holds are shared by more lanes. Shares of what an H100 streams,
     * float16 to int4, by chunks a lane: rows of 1,024 0.77 with four, 0.82 with eight, 0.63 with sixteen;
     * rows of 128 0.80 with four, 0.73 with eight; of 64 0.57 with two, 0.75 with four; of 32 0.38 with
     * one, 0.58 with two. */
    CLQ__SHORT_ROW_CHUNKS = 16,
    CLQ__LANE_CHUNKS_SHORT = 4, /* as many as are on their way at once */
    CLQ__LANE_CHUNKS_LONG = 8,
    CLQ__LANE_ACROSS = 256, /* units of a block across rows that a lane does by itself (not measured) */

    /* find_scales. */
    CLQ__FIND_GROUP_ELEMENTS = 4096, /* of a group, at least */
    CLQ__FIND_ITEMS_OF_UNIT = 2048,  /* work-items that a compute unit is given, where there are as many */
    CLQ__FIND_LANE_VECTORS = 4,      /* of a row, at least: shorter rows have fewer lanes */
    CLQ__FINISH_LANE_RANGES = 4,     /* that a lane joins, at least */

    CLQ__COPY_LANE_BYTES = 64, /* four chunks */
    CLQ__WIDEN_LANE_ELEMENTS = 4,
};

/* A work-item all alone, as measured with PoCL: less than the most where that would leave a core without
 * work. */
enum {
    CLQ__ITEMS_OF_UNIT = 4, /* that a compute unit is given, where there are as many */
    CLQ__ITEM_LEAST = 1024, /* elements */
    /* For cl/cpu. GB/s by units in an item, 1 GiB of input: float16 to int8 72 with 16 Ki, 88 with 64 Ki, 88
     * with 256 Ki, 91 with 1 Mi; float32 75, 81, 85, 85. */
    CLQ__ITEM_MOST = 1 << 18,
    CLQ__ITEM_MOST_STEPS = 1 << 14, /* of the portable kernels of static rows */
    CLQ__ITEM_MULTIPLE = 256,       /* elements that its size is a multiple of */

    CLQ__FIND_LANE_ELEMENTS = 64,           /* at least, so that ranges take little of what x takes */
    CLQ__FIND_ITEM_MOST = 1 << 20,          /* elements */
    CLQ__FIND_ITEM_MOST_COLUMNS = 1 << 22,  /* more, for it leaves a range for each column */
    CLQ__FIND_ITEM_MOST_PORTABLE = 1 << 15, /* less, where no more was measured */
    CLQ__FIND_TILE_ENDED = 1 << 14,         /* of each lane where loops end early */
    CLQ__FIND_COLUMNS_PORTABLE =
        256, /* that a work-item does, a chunk after the other, where it has no room for more */
    CLQ__FIND_COLUMNS_LEAST = 256,
    CLQ__FIND_MOST_RANGES = 16384, /* that one work-item finishes */

    CLQ__COPY_ITEM_ROUNDS = 16384, /* about: enough to be worth one, and well below CLQ__MOST_ROUNDS */
    CLQ__COPY_ITEM_MOST = 131072,  /* of long runs, which wait at their end for what passed the caches */
    CLQ__WIDEN_ITEM_ELEMENTS = 256,
};

/* Which way is taken. */
enum {
    /* find_scales: rows of one index shorter than this are taken as columns, where many lie together; but not
     * where fewer of them come together in a column. As many are laid side by side where rows have few. */
    CLQ__FIND_SHORT_RUN = 512,
    CLQ__FIND_FEW_ROWS = 16,
    CLQ__FIND_COLUMNS = 2048,
    CLQ__FIND_ROWS_OF_RANGE = 32, /* of a column, at least */

    /* cl/cpu: short rows that are joined to one, and units of scales that are repeated for it: no more than
     * the nearest cache has. To repeat takes a kernel more, so only calls of CLQ__JOIN_LEAST units do. PoCL
     * and a Zen 4, float16 to int8, ms by rows and joined: rows of 96 0.69 and 0.46, of 80 1.13 and 0.65, of
     * 112 0.93 and 0.69; of eight times as many 4.0 and 2.2, 4.0 and 2.2, 3.8 and 2.6. */
    CLQ__JOIN_UNITS = 2048,
    CLQ__JOIN_SCALES = 8192,

    /* Last entry wins: up to so many looks every row looks at all later entries; beyond, a table of last
     * entries grows with the entries alone. On PoCL 256 entries of 1,024 elements took 4.7 times the time of
     * unique ones when they were scanned, 1.5 times with the table. The table has a word for each place of
     * the cache, or where there are more than so many places an entry, two or more for each entry, so that
     * clearing it does not cost more than the entries: PoCL, 8 places for each of 32,768 entries of 1,024
     * elements, 0.91 of the time with a word for each place, for a search in the smaller table ends after one
     * word or more, which no processor foresees. */
    CLQ__SCAN_LOOKS = 1 << 14,
    CLQ__HASH_PLACES = 16,
    CLQ__HASH_LEAST = 64,
};

#ifndef CLQ__JOIN_LEAST /* tests have a smaller one: tests/harness */
#define CLQ__JOIN_LEAST (INT64_C(1) << 22)
#endif

#endif
