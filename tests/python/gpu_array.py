# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Memory of the host that pretends to be a GPU's."""


class FakeGpuArray:
    """__cuda_array_interface__ around memory of the host."""

    def __init__(self, array, **changes):
        self.array = array
        self.__cuda_array_interface__ = {"shape": array.shape, "typestr": array.dtype.str, "version": 3,
                                         "data": (array.ctypes.data, False), "strides": None, **changes}
