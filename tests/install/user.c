/* SPDX-License-Identifier: Apache-2.0 */
/* A user's whole program: it includes one header and quantizes four numbers in its own queue. Without a
 * device it still has to link, load and say so. */
#define CL_TARGET_OPENCL_VERSION 120 /* the functions that this program calls */
#include <clquant/clquant.h>
#include <stdio.h>
#include <string.h>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        if ((call) != CLQ_OK) {                                                                              \
            fprintf(stderr, "%s\n", clq_error_detail());                                                     \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

int main(void)
{
    const float x[4] = {0.5f, -1.0f, 1.5f, 100.0f}, scale = 0.5f;
    const signed char wanted[4] = {1, -2, 3, 127};
    const uint32_t number = clq_version_number();
    signed char y[4];
    char version[32];
    clq_context *context = NULL;
    DLManagedTensor *tensors[3];
    cl_command_queue queue;
    clq_status status =
        clq_context_create(&(struct clq_context_desc){.flags = CLQ_CACHE_OFF | CLQ_NO_ENVIRONMENT}, &context);

    snprintf(version, sizeof version, "%u.%u.%u", (unsigned)(number / 1000000),
             (unsigned)(number / 1000 % 1000), (unsigned)(number % 1000));
    if (number != CLQ_VERSION_NUMBER || strcmp(version, clq_version()) != 0) {
        fprintf(stderr, "the library is %s and %u, its headers %d\n", clq_version(), (unsigned)number,
                CLQ_VERSION_NUMBER);
        return 1;
    }
    printf("clquant %s\n", version);
    if (status == CLQ_ERROR_DEVICE) {
        printf("%s\n", clq_error_detail());
        return 77;
    }
    CHECK(status);
    queue = clCreateCommandQueue(clq_context_cl(context), clq_context_device(context), 0, NULL);
    CHECK(clq_tensor_create(context, CLQ_FLOAT32, 1, (int64_t[]){4}, &tensors[0]));
    CHECK(clq_tensor_create(context, CLQ_FLOAT32, 0, NULL, &tensors[1]));
    CHECK(clq_tensor_create(context, CLQ_INT8, 1, (int64_t[]){4}, &tensors[2]));
    CHECK(clq_tensor_write(queue, &tensors[0]->dl_tensor, CL_TRUE, x, sizeof x, 0, NULL, NULL));
    CHECK(clq_tensor_write(queue, &tensors[1]->dl_tensor, CL_TRUE, &scale, sizeof scale, 0, NULL, NULL));
    CHECK(clq_quantize(context, queue,
                       &(struct clq_quantize_desc){.x = &tensors[0]->dl_tensor,
                                                   .scales = &tensors[1]->dl_tensor,
                                                   .y = &tensors[2]->dl_tensor},
                       0, NULL, NULL));
    CHECK(clq_tensor_read(queue, &tensors[2]->dl_tensor, CL_TRUE, y, sizeof y, 0, NULL, NULL));
    for (int i = 0; i < 3; i++)
        clq_tensor_destroy(tensors[i]);
    clReleaseCommandQueue(queue);
    clq_context_destroy(context);
    if (memcmp(y, wanted, sizeof y) != 0) {
        fprintf(stderr, "%d %d %d %d\n", y[0], y[1], y[2], y[3]);
        return 1;
    }
    return 0;
}
