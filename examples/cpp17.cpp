// SPDX-License-Identifier: Apache-2.0
// In C++17: contexts, queues, tensors and plans are held by std::unique_ptr, and a status that is no success becomes an exception
// with the library's sentence. Rows become int8 with a scale each, batch after batch by one plan, and come back as floats.
#include <clquant/clquant.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace
{

template <auto destroy> struct destroyed_by {
    template <class T> void operator()(T *object) const
    {
        destroy(object);
    }
};
using context = std::unique_ptr<clq_context, destroyed_by<clq_context_destroy>>;
using queue = std::unique_ptr<std::remove_pointer_t<cl_command_queue>, destroyed_by<clq_queue_destroy>>;
using tensor = std::unique_ptr<DLManagedTensor, destroyed_by<clq_tensor_destroy>>;
using plan = std::unique_ptr<clq_plan, destroyed_by<clq_plan_destroy>>;

void check(clq_status status)
{
    if (status != CLQ_OK)
        throw std::runtime_error(clq_error_detail());
}

// What a create call gives in its last argument.
template <class Owner, class Create, class... Arguments> Owner make(Create create, Arguments... arguments)
{
    typename Owner::pointer object = nullptr;

    check(create(arguments..., &object));
    return Owner(object);
}

tensor make_tensor(const context &on, DLDataType dtype, const std::vector<int64_t> &shape)
{
    return make<tensor>(clq_tensor_create, on.get(), dtype, static_cast<int>(shape.size()), shape.data());
}

template <class T> void write(const queue &to, const tensor &of, const std::vector<T> &host)
{
    check(clq_tensor_write(to.get(), &of->dl_tensor, CL_TRUE, host.data(), host.size() * sizeof(T), 0,
                           nullptr, nullptr));
}

template <class T> std::vector<T> read(const queue &from, const tensor &of, std::size_t count)
{
    std::vector<T> host(count);

    check(clq_tensor_read(from.get(), &of->dl_tensor, CL_TRUE, host.data(), count * sizeof(T), 0, nullptr,
                          nullptr));
    return host;
}

constexpr int batches = 3, rows = 4, columns = 64, elements = batches * rows * columns;

// How far an element is from where it was, in steps of its row's scale.
float worst_error(const std::vector<float> &x, const std::vector<float> &back,
                  const std::vector<float> &scales)
{
    float worst = 0.0f;

    for (std::size_t i = 0; i < x.size(); i++)
        worst = std::max(worst, std::abs(x[i] - back[i]) / scales[i / columns]);
    return worst;
}

// The plan is of the first batch; each call binds the places of its own.
void quantize_batches(const context &clquant, const queue &in_order, const tensor &x, const tensor &y,
                      const tensor &scales)
{
    const auto buffer = [](const tensor &of) { return static_cast<cl_mem>(of->dl_tensor.data); };
    int64_t shape[] = {rows, columns};
    const DLTensor first_x = clq_tensor_view(buffer(x), CLQ_FLOAT32, 2, shape);
    const DLTensor first_y = clq_tensor_view(buffer(y), CLQ_INT8, 2, shape);
    const DLTensor first_scales = clq_tensor_view(buffer(scales), CLQ_FLOAT32, 1, shape);
    clq_dynamic_quantize_desc desc{};

    desc.x = &first_x;
    desc.y = &first_y;
    desc.scales = &first_scales;
    desc.symmetric = 1;
    const auto quantize = make<plan>(clq_dynamic_quantize_plan, clquant.get(), &desc);
    for (uint64_t batch = 0; batch < batches; batch++) {
        const clq_binding bindings[] = {
            CLQ_BIND(dynamic_quantize, x, buffer(x), batch * rows * columns * sizeof(float)),
            CLQ_BIND(dynamic_quantize, y, buffer(y), batch * rows * columns),
            CLQ_BIND(dynamic_quantize, scales, buffer(scales), batch * rows * sizeof(float))};

        check(clq_plan_enqueue(quantize.get(), in_order.get(), std::size(bindings), bindings, 0, nullptr,
                               nullptr));
    }
}

void run()
{
    std::vector<float> host;
    for (int i = 0; i < elements; i++)
        host.push_back(static_cast<float>((37 * i + i / columns) % 101 - 50) / 8.0f);

    const auto clquant = make<context>(clq_context_create, static_cast<const clq_context_desc *>(nullptr));
    const auto in_order = make<queue>(clq_queue_create, clquant.get(), cl_command_queue_properties{0});
    const auto x = make_tensor(clquant, CLQ_FLOAT32, {batches, rows, columns});
    const auto y = make_tensor(clquant, CLQ_INT8, {batches, rows, columns});
    const auto scales = make_tensor(clquant, CLQ_FLOAT32, {batches, rows});
    const auto back = make_tensor(clquant, CLQ_FLOAT32, {batches, rows, columns});
    write(in_order, x, host);
    quantize_batches(clquant, in_order, x, y, scales);

    clq_dequantize_desc desc{};
    desc.q = &y->dl_tensor;
    desc.scales = &scales->dl_tensor;
    desc.y = &back->dl_tensor;
    desc.mode = CLQ_DEQUANTIZE_DYNAMIC;
    check(clq_dequantize(clquant.get(), in_order.get(), &desc, 0, nullptr, nullptr));

    const auto bytes = read<signed char>(in_order, y, elements);
    for (std::size_t i = 0; i < 8; i++)
        std::printf("%d%c", bytes[i], i < 7 ? ' ' : '\n');
    const float worst = worst_error(host, read<float>(in_order, back, elements),
                                    read<float>(in_order, scales, batches * rows));
    if (worst > 0.501f)
        throw std::runtime_error("an element is further than half a step from where it was");
    std::printf("each of %d elements is within half a step of where it was\n", elements);

    try {
        desc.scales = &y->dl_tensor;
        check(clq_dequantize(clquant.get(), in_order.get(), &desc, 0, nullptr, nullptr));
    } catch (const std::runtime_error &refusal) {
        std::printf("refused: %s\n", refusal.what());
    }
}

} // namespace

int main()
{
    try {
        run();
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "cpp17: %s\n", failure.what());
        return 1;
    }
}
