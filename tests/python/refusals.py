# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Calls that must fail."""
import pytest


def refuses(error, text, call, *arguments, **keywords):
    """The call raises `error` with a message in which the expression `text` is found."""
    with pytest.raises(error, match=text):
        call(*arguments, **keywords)
