/* SPDX-License-Identifier: Apache-2.0 */
/* Quantizes two rows of float32 to int8, one scale per column, on the default OpenCL device. */
#include <clquant/clquant.h>
#include <stdio.h>

int main(void)
{
    const float x[2][3] = {{0.5f, -1.0f, 3.0f}, {-7.5f, 0.25f, 1000.0f}}, scales[3] = {0.5f, 0.25f, 2.0f};
    signed char y[2][3] = {{0}};
    const int64_t rows_columns[] = {2, 3}, columns[] = {3};
    clq_context *context = NULL;
    DLManagedTensor *dx = NULL, *dscales = NULL, *dy = NULL;
    cl_command_queue queue = NULL;
    clq_status status =
        clq_context_create(NULL, &context); /* or on your own cl_context: struct clq_context_desc */

    if (status == CLQ_OK)
        status = clq_queue_create(context, 0, &queue);
    if (status == CLQ_OK)
        status = clq_tensor_create(context, CLQ_FLOAT32, 2, rows_columns, &dx);
    if (status == CLQ_OK)
        status = clq_tensor_create(context, CLQ_FLOAT32, 1, columns, &dscales);
    if (status == CLQ_OK)
        status = clq_tensor_create(context, CLQ_INT8, 2, rows_columns, &dy);
    if (status == CLQ_OK)
        status = clq_tensor_write(queue, &dx->dl_tensor, CL_TRUE, x, sizeof x, 0, NULL, NULL);
    if (status == CLQ_OK)
        status = clq_tensor_write(queue, &dscales->dl_tensor, CL_TRUE, scales, sizeof scales, 0, NULL, NULL);
    if (status == CLQ_OK)
        status = clq_quantize(context, queue,
                              &(struct clq_quantize_desc){
                                  .x = &dx->dl_tensor, .scales = &dscales->dl_tensor, .y = &dy->dl_tensor},
                              0, NULL, NULL);
    if (status == CLQ_OK)
        status = clq_tensor_read(queue, &dy->dl_tensor, CL_TRUE, y, sizeof y, 0, NULL, NULL);
    if (status == CLQ_OK)
        printf("%d %d %d\n%d %d %d\n", y[0][0], y[0][1], y[0][2], y[1][0], y[1][1], y[1][2]);
    else
        fprintf(stderr, "%s: %s\n", clq_status_name(status), clq_error_detail());

    DLManagedTensor *tensors[] = {dx, dscales, dy};
    for (int i = 0; i < 3; i++)
        clq_tensor_destroy(tensors[i]);
    clq_queue_destroy(queue);
    clq_context_destroy(context);
    return status == CLQ_OK ? 0 : 1;
}
