# SPDX-License-Identifier: Apache-2.0
"""torch_npu's calls without memory: torch.compile, torch.export and torch's own checks of an operator, and float8."""

import io

import numpy as np
import pytest
import reference

torch = pytest.importorskip("torch", minversion="2.4")
torch_npu = pytest.importorskip("clquant.torch_npu")

# What torch warns of within itself is none of clquant's.
pytestmark = pytest.mark.filterwarnings("ignore")


class Step(torch.nn.Module):
    """Each of the calls, and the one in place several times, between torch's own operators."""

    def __init__(self, whole=torch.qint8, words=torch.quint4x2, float8=torch.float8_e4m3fn):
        super().__init__()
        self.whole, self.words, self.float8 = whole, words, float8

    def forward(self, x, cache, places, keys, scales):  # noqa: D102
        threes = torch.full((16,), 3.0)
        pages = (torch.zeros(2, 2, 8, 8, dtype=torch.int8), torch.zeros(2, 1, 8, 16, dtype=torch.int8))
        y = torch_npu.npu_quantize(x, threes, None, self.whole, -1, self.whole is torch.int32)
        words = torch_npu.npu_group_quant(x[1], threes.expand(2, 16), torch.tensor([1, 3]), dst_dtype=self.words)
        found = torch_npu.npu_dynamic_quant(x + 1)
        float8, _ = torch_npu.npu_dynamic_quant(x + 1, dst_type=self.float8)
        shifted = torch_npu.npu_dynamic_quant_asymmetric(x, quant_mode="perchannel")
        powers = torch_npu.npu_dynamic_mx_quant(x, axis=1, block_size=2)
        blocks = torch_npu.npu_dynamic_block_quant(x, row_block_size=2, col_block_size=12)
        copied = torch_npu.npu_quant_scatter(cache, places, keys, scales)
        torch_npu.npu_quant_scatter_(cache, places, keys * 2, scales)
        again = torch_npu.npu_quant_scatter_(cache, (places + 1) % 8, keys * 3, scales)
        moved = torch_npu.npu_scatter_nd_update(x, places.view(-1, 1) % 2, x + 1)
        torch_npu.npu_scatter_nd_update_(cache, torch.stack([places, places], 1) % 2, cache[:, 7] + 1)
        torch_npu.npu_scatter_pa_kv_cache(cache[:, :1] + 1, cache[:, 1:2], *pages, places * 3)
        started = torch_npu.scatter_update_(cache, places, cache[:, :1] + 2, -2)
        return (
            y,
            moved,
            *pages,
            torch_npu.npu_anti_quant(cache, scales.flatten(), offset=scales.flatten(), dst_dtype=torch.float32),
            torch_npu.npu_anti_quant(words, threes, dst_dtype=torch.bfloat16),
            started + 1,
            torch_npu.scatter_update(cache, places, cache[:, 3:4], 1),
            words,
            *found,
            float8.float(),
            *shifted,
            *powers,
            *blocks,
            copied,
            again + 0,
            cache + 1,
        )


def arguments(batches):
    generator = torch.Generator().manual_seed(20)
    return (
        torch.randn(batches, 3, 16, generator=generator),
        torch.zeros(batches, 8, 16, dtype=torch.int8),
        torch.arange(batches, dtype=torch.int32),
        torch.randn(batches, 1, 16, generator=generator).bfloat16(),
        torch.full((1, 1, 16), 0.1, dtype=torch.bfloat16),
    )


def same(run, batches, step=None):
    """A function does what the plain calls do, to its outputs and to the cache."""
    plain, given = arguments(batches), arguments(batches)
    for made, right in zip((*run(*given), given[1]), (*(step or Step())(*plain), plain[1]), strict=True):
        assert torch.equal(made, right)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_compile(backend, dynamic):
    if backend == "inductor":
        pytest.importorskip("setuptools.command.build_ext", reason="torch's own compiler builds with it")
    torch.compiler.reset()
    compiled = torch.compile(Step(), backend=backend, fullgraph=True, dynamic=dynamic)
    same(compiled, 4)
    same(compiled, 6)


class Quantize(torch.nn.Module):
    """The documents' example of a graph: the type comes as an argument."""

    def forward(self, x, scale, zero_points, dst_type, div_mode):  # noqa: D102
        return torch_npu.npu_quantize(x, scale, zero_points=zero_points, dtype=dst_type, div_mode=div_mode)


class GroupQuant(torch.nn.Module):
    """The same of groups."""

    def forward(self, x, scale, group_index, offset, dst_type):  # noqa: D102
        return torch_npu.npu_group_quant(x, scale, group_index, offset=offset, dst_dtype=dst_type)


@pytest.mark.parametrize("dst_type", [torch.qint8, torch.quint4x2])
def test_documented_graphs(dst_type):
    torch.compiler.reset()
    x, scale, index = torch.randn(2, 3, 16).half(), torch.full((16,), 3.0).half(), torch.tensor([1, 4, 6, 6]).int()
    calls = (
        (Quantize(), (x, scale, None), {"dst_type": dst_type, "div_mode": False}),
        (GroupQuant(), (x.reshape(6, 16), torch.randn(4, 16), index), {"offset": torch.randn(1), "dst_type": dst_type}),
    )
    for model, args, options in calls:
        compiled = torch.compile(model, fullgraph=True, backend="aot_eager", dynamic=True)
        assert torch.equal(compiled(*args, **options), model(*args, **options))


def exported(step, strict):
    batches = torch.export.Dim("batches", min=2, max=8)
    shapes = ({0: batches}, {0: batches}, {0: batches}, {0: batches}, None)
    return torch.export.export(step, arguments(4), dynamic_shapes=shapes, strict=strict)


@pytest.mark.parametrize("strict", [False, True])
def test_export(strict):
    made = exported(Step(), strict)
    same(made.module(), 6)
    same(made.run_decompositions().module(), 3)


def test_export_saved():
    """What torch saves has no numbers for qint8 and quint4x2, nor torch 2.6 for float8: programs with others come back."""
    step, file = Step(torch.int32, torch.int8, torch.int8), io.BytesIO()
    torch.export.save(exported(step, strict=True), file)
    file.seek(0)
    same(torch.export.load(file).module(), 6, step)


def calls():
    x, cache, places, keys, scales = arguments(4)
    return {
        "npu_quantize": ((x, torch.ones(16), None, torch.qint8, -1, False), {}),
        "npu_group_quant": ((x[0], torch.ones(2, 16), torch.tensor([1, 3])), {"dst_dtype": torch.quint4x2}),
        "npu_quant_scatter": ((cache, places, keys, scales), {}),
        "_npu_quant_scatter_write": ((cache, places, keys, scales), {}),
        "npu_scatter_nd_update": ((x, torch.tensor([[1, 2]]), x[:1, 0]), {}),
        "_npu_scatter_nd_update_write": ((cache, torch.tensor([[[1, 2]], [[0, 3]]]), cache[:2, :1]), {}),
        "scatter_update": ((cache, places, cache[:, 2:4], -2), {}),
        "_scatter_update_write": ((cache, places, cache[:, 2:4] + 1, -2), {}),
        "npu_scatter_pa_kv_cache": (
            (cache[:, :1] + 1, cache[:, :2] + 2, torch.zeros(2, 4, 1, 16).to(cache), torch.zeros(2, 4, 2, 16).to(cache), places),
            {"cache_mode": "Norm"},
        ),
        "npu_anti_quant": ((cache, torch.ones(16)), {"offset": torch.ones(16), "dst_dtype": torch.bfloat16}),
        "npu_dynamic_block_quant": ((x,), {"dst_type": torch.float8_e4m3fn, "col_block_size": 5, "min_scale": 3.0}),
        "npu_dynamic_mx_quant": ((x.transpose(0, 1),), {"axis": 0, "block_size": 3}),
        "npu_dynamic_quant": ((x.transpose(0, 1),), {}),
        "npu_dynamic_quant_asymmetric": ((x,), {"dst_type": torch.quint4x2}),
    }


@pytest.mark.parametrize("name", calls())
def test_opcheck(name):
    args, options = calls()[name]
    torch.library.opcheck(getattr(torch.ops.npu, name).default, args, options)


def test_refused_when_compiled():
    """The library's sentence, before anything runs: of the call in place too, and of meta tensors."""
    x, cache, places, keys, scales = arguments(4)
    torch.compiler.reset()
    compiled = torch.compile(torch_npu.npu_quant_scatter_, backend="aot_eager", fullgraph=True)
    with pytest.raises(Exception, match="axis is 0: it must be neither the first nor the last"):
        compiled(cache, places, keys, scales, axis=0)
    with pytest.raises(ValueError, match="scales has 3 elements"):
        torch_npu.npu_quantize(x.to("meta"), torch.ones(3, device="meta"), None, torch.qint8, -1)
    assert torch_npu.npu_dynamic_quant(x.to("meta"), quant_mode="perchannel")[1].shape == (4, 16)


@pytest.mark.parametrize("kind", ["float8_e4m3fn", "float8_e5m2"])
def test_float8(numbers, kind):
    x, dtype = torch.from_numpy(numbers((3, 1, 16))), getattr(torch, kind)
    y, scale = torch_npu.npu_dynamic_quant(torch.nan_to_num(x, posinf=9.0, neginf=-9.0), dst_type=dtype)
    wide = np.nan_to_num(x.numpy(), posinf=9.0, neginf=-9.0)
    right = reference.dynamic(wide, dtype=kind, symmetric=True)
    np.testing.assert_array_equal(y.view(torch.uint8).numpy(), right[0])
    np.testing.assert_array_equal(scale.numpy(), right[1][..., 0])
    cache = torch.zeros(3, 8, 16).to(dtype)
    scales = torch.linspace(0.1, 2, 16)
    for mode in ("divide", "multiply"):
        y = torch_npu.npu_quantize(x, scales, None, dtype, -1, mode == "divide")
        right = reference.quantize(x.numpy(), scales.numpy(), dtype=kind, mode=mode)
        np.testing.assert_array_equal(y.view(torch.uint8).numpy(), right)
    made = torch_npu.npu_quant_scatter(cache, torch.tensor([1, 2, 3]), x, scales, dst_type=dtype)
    right = reference.quantize(x.numpy(), scales.numpy(), dtype=kind)
    np.testing.assert_array_equal(made.view(torch.uint8).numpy()[[0, 1, 2], [1, 2, 3]], right[:, 0])
    with pytest.raises(ValueError, match=r"self\.dtype is int8: for dst_type float8"):
        torch_npu.npu_quant_scatter_(cache.view(torch.int8), torch.tensor([1, 2, 3]), x, scales, dst_type=dtype)
