// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernels of the operators, and next to no work. BUFFERS is 7, or 8; LONGS is how many times 8 bytes of
// arguments there are.
struct args {
    long values[LONGS];
};

kernel void bare(global uchar *a, global uchar *b, global uchar *c, global uchar *d, global uchar *e, global uchar *f,
                 global uchar *g,
#if BUFFERS == 8
                 global uchar *h,
#endif
                 const struct args args)
{
    if (args.values[0] < 0)
        a[0] = b[0] + c[0] + d[0] + e[0] + f[0] + g[0];
}
