/* Views as kernels walk them: in units, not in what DLPack counts. */
#include "base/view.h"

int64_t clq__view_offset_units(const struct clq__view *view)
{
    if (view->tensor == NULL)
        return 0;
    return (int64_t)(view->tensor->byte_offset /
                     (view->type == CLQ__I4 ? 1 : clq__storage_bytes(view->tensor->dtype)));
}

int64_t clq__view_units(const struct clq__view *view, int64_t stride)
{
    if (view->elements == 0)
        return 0;
    if (view->type != CLQ__I4)
        return stride;
    return view->lanes == 1 ? stride / 2 : view->lanes == 2 ? stride : 4 * stride;
}

int64_t clq__view_step_units(const struct clq__view *view, int64_t size, int64_t stride)
{
    return size > 1 ? clq__view_units(view, stride) : 0;
}
