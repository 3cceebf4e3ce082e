/* SPDX-License-Identifier: Apache-2.0 */
/* A user's program of the component rotate: it includes its header and rotates no rows, which builds nothing.
 */
#define CL_TARGET_OPENCL_VERSION 120 /* the functions that this program calls */
#include <clquant/rotate.h>
#include <stdio.h>

int main(void)
{
    clq_context *context = NULL;
    clq_rotation *rotation = NULL;
    DLManagedTensor *x = NULL, *y = NULL;
    cl_command_queue queue = NULL;
    clq_status status =
        clq_context_create(&(struct clq_context_desc){.flags = CLQ_CACHE_OFF | CLQ_NO_ENVIRONMENT}, &context);

    if (status == CLQ_ERROR_DEVICE) {
        printf("%s\n", clq_error_detail());
        return 77;
    }
    if (status == CLQ_OK)
        queue = clCreateCommandQueue(clq_context_cl(context), clq_context_device(context), 0, &status);
    if (status == CLQ_OK)
        status = clq_rotation_create(context, 96, &rotation);
    if (status == CLQ_OK)
        status = clq_tensor_create(context, CLQ_FLOAT32, 2, (int64_t[]){0, 96}, &x);
    if (status == CLQ_OK)
        status = clq_tensor_create(context, CLQ_FLOAT32, 2, (int64_t[]){0, 96}, &y);
    if (status == CLQ_OK)
        status = clq_rotate_rows(
            context, queue,
            &(struct clq_rotate_rows_desc){.rotation = rotation, .x = &x->dl_tensor, .y = &y->dl_tensor}, 0,
            NULL, NULL);
    if (status != CLQ_OK)
        fprintf(stderr, "%s\n", clq_error_detail());
    clq_tensor_destroy(x);
    clq_tensor_destroy(y);
    clq_rotation_destroy(rotation);
    if (queue != NULL)
        clReleaseCommandQueue(queue);
    clq_context_destroy(context);
    return status == CLQ_OK ? 0 : 1;
}
