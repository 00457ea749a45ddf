# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Work of other libraries on GPU arrays ends before kaon sees the memory."""
import numpy as np
import pytest

import kaon
from gpu_array import FakeGpuArray
from kaon import arrays
from refusals import refuses


class FakeDlpack:
    """Numpy's `__dlpack__` on a device that is said to be another, with the streams it was requested."""

    def __init__(self, array, device):
        self.array, self.device, self.asked = array, device, []

    def __dlpack_device__(self):
        return (self.device, 0)

    def __dlpack__(self, **keywords):
        self.asked.append(keywords)
        return self.array.__dlpack__()


class FakeDriver:
    def __init__(self, status, waited):
        def synchronize(stream):
            waited.append(stream)
            return status

        self.cuStreamSynchronize = synchronize


@pytest.mark.parametrize("stream", [1, 2, 0x7F0012345678])
def test_streams_are_waited_for(monkeypatch, stream):
    waited = []
    monkeypatch.setattr(arrays.ctypes, "CDLL", lambda name: FakeDriver(0, waited))
    memory = arrays.memory_of(FakeGpuArray(np.zeros(4, complex), stream=stream), "array")
    assert waited == [stream] and memory.place == arrays.h.DEVICE


@pytest.mark.parametrize("changes", [{}, {"stream": None}])
def test_nothing_is_waited_for_without_a_stream(monkeypatch, changes):
    waited = []
    monkeypatch.setattr(arrays.ctypes, "CDLL", lambda name: FakeDriver(0, waited))
    arrays.memory_of(FakeGpuArray(np.zeros(4, complex), **changes), "array")
    assert waited == []


@pytest.mark.parametrize("stream", [0, -1, True, "1"])
def test_no_streams_are_refused(stream):
    refuses(kaon.InvalidArgument, "is on stream", arrays.memory_of, FakeGpuArray(np.zeros(4, complex), stream=stream), "array")


def test_streams_that_fail_are_told(monkeypatch):
    monkeypatch.setattr(arrays.ctypes, "CDLL", lambda name: FakeDriver(400, []))
    refuses(kaon.InvalidArgument, "failed with CUresult 400", arrays.memory_of, FakeGpuArray(np.zeros(4, complex), stream=5), "array")


@pytest.mark.parametrize("device, asked", [(1, {}), (3, {}), (2, {"stream": 1}), (13, {"stream": 1})])
def test_dlpack_is_asked_for_the_default_stream_on_gpus_only(device, asked):
    array = FakeDlpack(np.zeros(4, complex), device)
    arrays.memory_of(array, "array")
    assert array.asked == [asked]
