/* SPDX-License-Identifier: Apache-2.0 */
/* The context: one OpenCL context and device, the kernels built for it, and the place of their binaries.
 *
 * Ownership  The caller's cl_context and cl_device_id are retained, and released by clq_context_destroy.
 *            If none is given, the library makes its own. Nothing else is kept: queues, buffers and
 *            events stay the caller's.
 * Threads    Many threads may use a clq_context at once. Its creation and destruction are the caller's to
 *            order.
 * Globals    None, but one buffer a thread for clq_error_detail(). Nothing runs at exit, nothing is printed
 *            unless the environment variable CLQ_LOG is stderr: then it has the lines of clq_log.
 * OpenCL     CL/cl.h is included, and nothing of it is defined here. CL_TARGET_OPENCL_VERSION is yours to
 *            define: with -D, or before your first include of these headers or of OpenCL's, since CL/cl.h
 *            chooses once. If it is not defined, CL/cl.h declares the functions of its newest version.
 *            clquant itself calls those of OpenCL 1.2. */
#ifndef CLQUANT_CONTEXT_H
#define CLQUANT_CONTEXT_H

#include <CL/cl.h>
#include <clquant/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clq_context clq_context;

/* The device that kernels run on, and how they are built. Zero is the default of each. */
enum clq_context_flag {
    CLQ_CACHE_OFF = 1 << 0,      /* keep no binaries: neither on disk nor through cache_get and cache_put */
    CLQ_NO_ENVIRONMENT = 1 << 1, /* read no environment variable; without cache_dir no disk cache either */
};

/* How a kernel is laid out over the device. The bytes are the same. */
enum clq_form {
    CLQ_FORM_AUTO = 0,  /* CPU: item; everything else: group */
    CLQ_FORM_ITEM = 1,  /* a work-item does a long run of elements in a plain loop */
    CLQ_FORM_GROUP = 2, /* a work-group shares a run, neighbours load neighbouring elements */
};

/* How a quotient and a product are made exact. The bytes are the same. */
enum clq_arithmetic {
    CLQ_ARITHMETIC_AUTO = 0,  /* the quickest that is right by the device's flags */
    CLQ_ARITHMETIC_EXACT = 1, /* without these promises, right on every device */
};

/* Both return 0 when they did what was asked, anything else when not (no such entry, no room): never an
 * error. get asks for the bytes of `key` (a NUL-terminated file name of letters and digits): it sets
 * *size_bytes and returns malloc'ed memory in *data, which the library frees. They may be called from
 * several threads at once. An entry that get returns is verified as a file of the disk cache is: damaged
 * bytes never reach the driver. */
typedef int (*clq_cache_get)(void *user, const char *key, void **data, size_t *size_bytes);
typedef int (*clq_cache_put)(void *user, const char *key, const void *data, size_t size_bytes);

/* One finished line without its newline: the device and its cache, a kernel with where it came from and the
 * seconds that took, what was kept, the driver's build log, a refusal of the cache. With CLQ_LOG=stderr in
 * the environment all contexts of a process print the same there; another value is CLQ_ERROR_VALUE. */
typedef void (*clq_log)(void *user, const char *line);

/* Zero means default in every field. The descriptor can grow without breaking callers: new fields take the
 * place of reserved ones, so its size never changes, a zero always means what it meant before, and a library
 * that does not know a field yet refuses a value in its place. */
struct clq_context_desc {
    cl_context context;       /* the caller's; NULL: the library makes one */
    cl_device_id device;      /* one of the context's; NULL: its only one, or without a context the default */
    const char *device_text;  /* used where context and device are NULL: see clq_device_find */
    const char *cache_dir;    /* NULL: $CLQ_CACHE_DIR, else clquant under $XDG_CACHE_HOME or $HOME/.cache */
    size_t cache_limit_bytes; /* the oldest entries beyond it are removed; 0: 256 MiB */
    clq_cache_get cache_get;  /* given together with cache_put: used instead of the disk */
    clq_cache_put cache_put;
    void *cache_user;
    const char *build_options; /* added to every build, such as "-g"; to change arithmetic is your own risk */
    clq_log log;
    void *log_user;
    uint32_t flags;      /* enum clq_context_flag */
    uint32_t form;       /* enum clq_form */
    uint32_t arithmetic; /* enum clq_arithmetic */
    uint32_t reserved32;
    uint64_t reserved[6];
};

/* Makes a context. desc may be NULL (all defaults). On failure *context is NULL.
 * A device without a compiler is taken: what is kept in the cache, or added as a binary, runs on it. A call
 * that needs any other kernel is CL_COMPILER_NOT_AVAILABLE, and the sentence names its variant and build
 * options (docs/without_a_compiler.md). If the environment variable CLQ_RECORD names a file, each variant
 * that the context builds, or takes from where it was kept, is appended to it, a line each as
 * clq_context_build takes them; a file that cannot be written to is CLQ_ERROR_SYSTEM.
 * Blocking: opens the driver; builds nothing. */
CLQ_API clq_status clq_context_create(const struct clq_context_desc *desc, clq_context **context);

/* Releases everything that the context holds. NULL is fine. Work that was enqueued goes on: OpenCL keeps what
 * it needs until the work is done. */
CLQ_API void clq_context_destroy(clq_context *context);

/* The sentences that it holds. All functions that ask a context take NULL, which has nothing: NULL, 0 and
 * "". */
CLQ_API cl_context clq_context_cl(const clq_context *context);
CLQ_API cl_device_id clq_context_device(const clq_context *context);

/* A queue on the context's device, for callers that have not loaded OpenCL themselves: clCreateCommandQueue
 * and clReleaseCommandQueue. Any other queue of clq_context_cl and clq_context_device does as well.
 * properties: 0, or CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE and CL_QUEUE_PROFILING_ENABLE; one that the device
 * does not offer is CLQ_ERROR_VALUE. On failure *queue is NULL. Destroy does not wait: what was enqueued goes
 * on. NULL is fine. */
CLQ_API clq_status clq_queue_create(clq_context *context, cl_command_queue_properties properties,
                                    cl_command_queue *queue);
CLQ_API void clq_queue_destroy(cl_command_queue queue);

/* Builds kernels ahead of time and keeps their binaries, so that no later call waits, as
 * clq_<operator>_build does for one descriptor, which finds the names itself. Each text names a variant,
 * or several, as a line of cl/variants.txt does, the names in any order: "quantize.cl SRC=f16|bf16 DST=i8
 * MODE=multiply PARAMS=each". All that depends on the device is added where it is left out: FORM (item,
 * group) and ARITHMETIC (native, fused, exact). With neither of them a CPU's own kernel (cpu/quantize.cl)
 * is built where the device runs that. A text that is no variant is CLQ_ERROR_VALUE, and the sentence says
 * which word. Stops at the first that fails. */
CLQ_API clq_status clq_context_build(clq_context *context, size_t num_variants, const char *const *variants);

/* Adds a binary of the driver's with the kernels of any number of variants, made by a vendor's offline
 * compiler of what clq_export_variants (clquant/export.h) gives, or with clCompileProgram and clLinkProgram:
 * for devices without a compiler, and for FPGAs. The bytes are copied by the driver, which trusts them: give
 * it none that you do not. From then on a kernel that is not ready yet is taken from the first of the
 * binaries that has it, then from the cache, and else built from source. The texts, as those of
 * clq_context_build, are what the binary must have: where it lacks one the sentence names the kernel and the
 * variant, and nothing is added. With num_variants 0 a kernel is missed when a call first needs it.
 * Errors   CLQ_ERROR_NULL, CLQ_ERROR_VALUE (size_bytes 0, no variant, a kernel is missing), CLQ_ERROR_MEMORY,
 *          or the driver's, such as CL_INVALID_BINARY.
 * Threads  safe beside calls on the same context. */
CLQ_API clq_status clq_context_add_binary(clq_context *context, const void *binary, size_t size_bytes,
                                          size_t num_variants, const char *const *variants);

/* How many kernels are ready, and how many of them were not built from source but came from the cache or from
 * an added binary. Either pointer may be NULL. */
CLQ_API void clq_context_count(clq_context *context, size_t *built, size_t *from_cache);

/* The driver's log of the last build that failed in this context; empty if none did. It is copied into text,
 * cut to size_bytes with its NUL. */
CLQ_API void clq_context_build_log(clq_context *context, char *text, size_t size_bytes);

/* The directory of the disk cache, "" when there is none. It lives as long as the context. */
CLQ_API const char *clq_context_cache_dir(const clq_context *context);

/* The place where a context with no cache_dir keeps binaries, "$CLQ_CACHE_DIR" and so on, whether or not
 * it exists yet; no device is opened. (On Windows $CLQ_CACHE_DIR, else clquant under %LOCALAPPDATA%;
 * directories are UTF-8 there, and who else may write to one is not looked at.) size_bytes counts the NUL.
 * If no variable names a directory: CLQ_ERROR_SYSTEM; where text is too small: CLQ_ERROR_SIZE; text is
 * then "", if there is room for it. */
CLQ_API clq_status clq_cache_directory(char *text, size_t size_bytes);

/* Chooses a device. With environment true and no text, $CLQ_DEVICE is the text. text, case ignored:
 *   NULL or ""              the default: the first GPU or accelerator that runs the kernels, else the first
 *                           such CPU; one without a compiler comes after all that have one
 *   CPU, GPU, accelerator   the first of this kind that runs the kernels
 *   a number                counted over all platforms, as `clquant devices` lists them
 *   any other               a part of the platform's or device's name
 * CLQ_ERROR_DEVICE says what was looked at: the devices that there are, or where the OpenCL loader looked. */
CLQ_API clq_status clq_device_find(const char *text, int environment, cl_platform_id *platform,
                                   cl_device_id *device);

#ifdef __cplusplus
}
#endif
#endif
