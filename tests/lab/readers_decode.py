# SPDX-License-Identifier: Apache-2.0
"""compressed-tensors' weights by the formulas of its documents alone, in float32, rounded to bfloat16 at the end."""
import torch

LEVELS = (0, 0.5, 1, 1.5, 2, 3, 4, 6)


def nibbles(words, size, dim):
    """Four bits of each place in words of 32 bits, the lowest first, along a dimension."""
    words = words.movedim(dim, -1).long() & 0xFFFFFFFF
    values = (words[..., None] >> torch.arange(0, 32, 4)) & 15
    return values.flatten(-2)[..., :size].movedim(-1, dim) - 8


def float4(packed):
    """Two values of float4_e2m1fn in a byte, the lower bits first; the fourth bit is the sign."""
    codes = torch.stack((packed & 15, packed >> 4), dim=-1).flatten(-2).long()
    return torch.tensor(LEVELS)[codes & 7] * torch.where(codes < 8, 1.0, -1.0)


def decode(tensors, name, scheme):
    """One weight: (value - zero point) * scale."""
    scales, points = tensors[f"{name}_scale"], tensors.get(f"{name}_zero_point")
    packed = tensors.get(f"{name}_packed")
    if packed is None:
        values = tensors[name].float()
    elif scheme["type"] == "float":
        values = float4(packed)
    else:
        rows, columns = tensors[f"{name}_shape"].tolist()
        values = nibbles(packed, columns, 1).float()
        points = None if points is None else nibbles(points, rows, 0)
    assert (points is None) == scheme["symmetric"]
    scales = torch.exp2(scales.float() - 127) if scales.dtype == torch.uint8 else scales.float()
    if f"{name}_global_scale" in tensors:
        scales = scales / tensors[f"{name}_global_scale"]
    repeat = values.shape[1] // scales.shape[1]
    if points is not None:
        values = values - points.float().repeat_interleave(repeat, dim=1)
    return (values * scales.repeat_interleave(repeat, dim=1)).to(torch.bfloat16)


def decoded(tensors, config):
    """All weights that have scales, by name."""
    group = config["config_groups"]["group_0"]  # others have other lengths of blocks, which the scales' shapes say
    names = [name.removesuffix("_scale") for name in tensors if name.endswith(".weight_scale")]
    return {name: decode(tensors, name, group["weights"]) for name in names}


def split(tensors):
    """Llama 4's tensors of all experts, [experts, in, out], as a matrix [out, in] for each."""
    parts = {}
    for name, value in tensors.items():
        layer, _, projection = name.rpartition(".")
        if value.ndim == 3 and layer.endswith(".experts"):
            halves = ("gate_proj", "up_proj") if projection == "gate_up_proj" else (projection,)
            for half, part in zip(halves, value.chunk(len(halves), dim=2)):
                parts |= {f"{layer}.{e}.{half}.weight": matrix.T.contiguous() for e, matrix in enumerate(part)}
        else:
            parts[name] = value
    return parts


def joined(tensors, like):
    """The way back, to the names and shapes of the files before."""
    found = dict(tensors)
    for name, value in like.items():
        if name not in found:
            parts = split({name: value})
            matrices = [found.pop(part).T for part in parts]
            experts = [torch.stack(matrices[at:at + len(value)]) for at in range(0, len(matrices), len(value))]
            found[name] = torch.cat(experts, dim=2)
    return found
