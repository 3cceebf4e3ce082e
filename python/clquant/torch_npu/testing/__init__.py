# SPDX-License-Identifier: Apache-2.0
"""What op-plugin's own tests import of torch_npu.testing, so that those of these calls run unchanged."""
