/* Static quantization after its check: fold, choose the variant, fill the arguments, launch. */
#include "ops/static_quantize.h"

#include "args/widen.h"
#include "base/error.h"
#include "ops/static_quantize_work.h"

/* The kernels switch on the same numbers. */
_Static_assert((int)CLQ__F32 == CLQ_SCALAR_F32 && (int)CLQ__F16 == CLQ_SCALAR_F16 &&
                   (int)CLQ__BF16 == CLQ_SCALAR_BF16 && (int)CLQ__I8 == CLQ_SCALAR_I8 &&
                   (int)CLQ__U8 == CLQ_SCALAR_U8 && (int)CLQ__I32 == CLQ_SCALAR_I32,
               "base/dtype.h and args/types.h must number the types alike");

enum { X, Y, SCALE, ZERO_POINT }; /* the tensors of the fold */

/* Where one of scales and zero_points is read from. */
struct parameter {
    const struct clq__view *view;
    int64_t stride;   /* in memory, along the axis; 0 for one element */
    int64_t factor;   /* from positions on the axis, which the fold counts, to elements in memory */
    bool per_element; /* differs along a row: the kernel wants dense float32 then */
    bool widen;
};

struct call {
    struct clq__static_work work;
    struct clq__fold fold;
    struct parameter scale, zero_point;
    struct quantize_args args;
    struct clq__launch launch;
};

/* A unit of y is an element, or for int4 the byte of two; a word of eight is four such bytes. */
static void fold(struct call *call)
{
    const struct clq__static_work *work = &call->work;
    const bool pairs = work->y.type == CLQ__I4;
    const int64_t word_bytes = work->y.lanes == 8 ? 4 : 1;

    call->fold.dims = 0;
    call->args = (struct quantize_args){0};
    for (int d = work->x.rank - 1; d >= 0; d--) {
        const int64_t x = work->x.stride[d], y = work->y.stride[d], size = work->x.shape[d];
        const int64_t scale = d == work->axis && work->scale_stride != 0;
        const int64_t zero_point = d == work->axis && work->zero_point_stride != 0;

        if (size == 1) /* it steps nowhere: its strides may be anything, and their multiples overflow */
            continue;
        if (!pairs || d < work->x.rank - 1) {
            const int64_t units = pairs && work->y.lanes == 1 ? y / 2 : y * word_bytes;

            clq__fold_add(&call->fold, false, size, (int64_t[]){x, pairs ? units : y, scale, zero_point});
            continue;
        }
        call->args.x_pair = x;
        clq__fold_add(&call->fold, true, word_bytes > 1 ? 4 : size / 2,
                      (int64_t[]){2 * x, word_bytes > 1 ? 1 : y, 2 * scale, 2 * zero_point});
        if (word_bytes > 1 && size > 8)
            clq__fold_add(&call->fold, false, size / 8, (int64_t[]){8 * x, 4 * y, 8 * scale, 8 * zero_point});
    }
    clq__fold_sort(&call->fold, pairs ? 1 : 0, Y);
    clq__fold_merge(&call->fold);
    if (call->fold.dims == 0)
        clq__fold_add(&call->fold, true, 1, (int64_t[]){1, 1, 0, 0});
}

/* Scales and zero points that differ along a row are read as dense float32: everything else is widened first,
 * once, and the kernel's inner loop knows one type. One that is uniform on a row keeps its type and place. */
static void place_parameters(struct call *call)
{
    const struct clq__static_work *work = &call->work;
    const struct clq__fold_dim *inner = &call->fold.dim[0];

    call->scale = (struct parameter){.view = &work->scales, .stride = work->scale_stride};
    call->zero_point = (struct parameter){.view = &work->zero_points, .stride = work->zero_point_stride};
    call->zero_point.per_element = inner->stride[ZERO_POINT] != 0;
    /* a kernel with a zero point per element reads a scale per element too */
    call->scale.per_element = inner->stride[SCALE] != 0 || call->zero_point.per_element;
    for (int i = 0; i < 2; i++) {
        struct parameter *parameter = i ? &call->zero_point : &call->scale;

        parameter->widen =
            parameter->per_element && (parameter->view->type != CLQ__F32 || parameter->stride != 1);
        parameter->factor = parameter->widen ? 1 : parameter->stride;
    }
    /* widened out of one element, it has one per position of the axis all the same */
    if (call->scale.widen && call->scale.stride == 0)
        for (int d = 0; d < call->fold.dims; d++)
            call->fold.dim[d].stride[SCALE] = call->fold.dim[d].stride[ZERO_POINT];
}

static int64_t offset_of(const struct clq__view *view)
{
    return view->tensor == NULL
               ? 0
               : (int64_t)(view->tensor->byte_offset / clq__storage_bytes(view->tensor->dtype));
}

static uint32_t type_of(const struct parameter *parameter)
{
    return parameter->widen ? CLQ_SCALAR_F32 : (uint32_t)parameter->view->type;
}

static void fill_args(struct call *call)
{
    struct quantize_args *args = &call->args;
    const struct clq__fold *fold = &call->fold;

    args->x_offset = offset_of(&call->work.x);
    args->y_offset =
        call->work.y.type == CLQ__I4 ? (int64_t)call->work.y.tensor->byte_offset : offset_of(&call->work.y);
    args->scale_offset = call->scale.widen ? 0 : offset_of(call->scale.view);
    args->zero_point_offset = call->zero_point.widen ? 0 : offset_of(call->zero_point.view);
    args->x_stride = fold->dim[0].stride[X];
    args->y_stride = fold->dim[0].stride[Y];
    args->inner = fold->dim[0].size;
    args->scale_type = type_of(&call->scale);
    args->zero_point_type = type_of(&call->zero_point);
    args->outer = (uint32_t)(fold->dims - 1);
    for (int d = 1; d < fold->dims; d++)
        args->dim[d - 1] =
            (struct clq_dim){.size = fold->dim[d].size,
                             .x = fold->dim[d].stride[X],
                             .y = fold->dim[d].stride[Y],
                             .scale = fold->dim[d].stride[SCALE] * call->scale.factor,
                             .zero_point = fold->dim[d].stride[ZERO_POINT] * call->zero_point.factor};
}

static void choose_variant(struct call *call, const clq_context *context)
{
    struct clq__variant *variant = &call->launch.variant;
    const bool scales = call->scale.per_element, zero_points = call->zero_point.per_element;

    clq__variant_begin(variant, "quantize.cl");
    clq__variant_define(variant, "SRC", clq__type_token(call->work.x.type));
    clq__variant_define(variant, "DST", clq__type_token(call->work.y.type));
    clq__variant_define(variant, "MODE", call->work.mode == CLQ_MULTIPLY ? "multiply" : "divide");
    clq__variant_define(variant, "PARAMS", zero_points ? "both" : scales ? "each" : "one");
    clq__variant_end(variant, context);
}

static clq_status widen(clq_context *context, cl_command_queue queue, const struct parameter *parameter,
                        int64_t elements, cl_mem *scratch, cl_uint num_wait, const cl_event *wait,
                        cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__launch launch = {.num_buffers = 2, .args_bytes = sizeof(struct widen_args), .local = 1};
    struct widen_args args = {.x_offset = offset_of(parameter->view),
                              .x_stride = parameter->stride,
                              .elements = elements,
                              .elements_per_item = 256,
                              .type = (uint32_t)parameter->view->type};

    CLQ_TRY(clq__scratch_create(context, (size_t)elements * sizeof(float), scratch));
    clq__variant_begin(&launch.variant, "widen.cl");
    launch.buffers[0] = parameter->view->tensor->data;
    launch.buffers[1] = *scratch;
    launch.args = &args;
    launch.groups = (size_t)((elements + args.elements_per_item - 1) / args.elements_per_item);
    CLQ_TRY(clq__launch(context, queue, &launch, num_wait, wait, done));
end:
    return status;
}

/* The kernel, and before it what it waits for: each widening starts on the caller's wait list, and the kernel
 * follows on their events, so that an out-of-order queue is right too. */
static clq_status enqueue(struct call *call, clq_context *context, cl_command_queue queue, cl_uint num_wait,
                          const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    const struct parameter *parameters[2] = {&call->scale, &call->zero_point};
    cl_mem scratch[2] = {NULL, NULL};
    cl_event widened[2] = {NULL, NULL};
    cl_uint num_widened = 0;

    for (int i = 0; i < 2; i++) {
        const struct clq__view *view = parameters[i]->view;

        call->launch.buffers[1 + i] =
            view->tensor != NULL ? view->tensor->data : call->work.scales.tensor->data;
        if (!parameters[i]->widen)
            continue;
        CLQ_TRY(widen(context, queue, parameters[i], call->work.x.shape[call->work.axis], &scratch[i],
                      num_wait, wait, &widened[num_widened]));
        num_widened++;
        call->launch.buffers[1 + i] = scratch[i];
    }
    call->launch.buffers[0] = call->work.x.tensor->data;
    call->launch.buffers[3] = call->work.y.tensor->data;
    call->launch.num_buffers = 4;
    call->launch.args = &call->args;
    call->launch.args_bytes = sizeof call->args;
    CLQ_TRY(clq__launch(context, queue, &call->launch, num_widened ? num_widened : num_wait,
                        num_widened ? widened : wait, done));
end:
    for (int i = 0; i < 2; i++) {
        clq__event_release(widened[i]);
        clq__scratch_release(scratch[i]);
    }
    return status;
}

static clq_status build(struct call *call, clq_context *context)
{
    clq_status status = CLQ_OK;
    struct clq__launch launch = {.num_buffers = 2, .args_bytes = sizeof(struct widen_args), .local = 1};

    if (call->scale.widen || call->zero_point.widen) {
        clq__variant_begin(&launch.variant, "widen.cl");
        CLQ_TRY(clq__launch_build(context, &launch));
    }
    call->launch.num_buffers = 4;
    call->launch.args_bytes = sizeof call->args;
    CLQ_TRY(clq__launch_build(context, &call->launch));
end:
    return status;
}

clq_status clq__static_quantize(clq_context *context, cl_command_queue queue,
                                const struct clq__static_quantize *request, cl_uint num_wait,
                                const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct call call; /* each step sets its part: clearing two kilobytes would be felt by small calls */

    CLQ_REQUIRE(context != NULL, CLQ_ERROR_NULL, "context is NULL: it must be a context");
    CLQ_REQUIRE(queue != NULL || request->build_only, CLQ_ERROR_NULL,
                "queue is NULL: it must be a command queue");
    CLQ_TRY(clq__wait_check(num_wait, wait));
    CLQ_TRY(clq__static_quantize_check(request, &call.work));
    if (call.work.x.elements == 0) {
        if (!request->build_only)
            CLQ_TRY(clq__launch_nothing(queue, num_wait, wait, done));
        goto end;
    }
    fold(&call);
    place_parameters(&call);
    fill_args(&call);
    choose_variant(&call, context);
    clq__static_quantize_size(&call.args, &call.launch, clq__traits(context));
    if (request->build_only) {
        CLQ_TRY(build(&call, context));
        goto end;
    }
    CLQ_TRY(enqueue(&call, context, queue, num_wait, wait, done));
end:
    return status;
}
