// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/kaon.h>

// The C interface from C++: it succeeds when kaon.h can be included, linked and called.
int main() { return kaon_version()[0] == '0' && kaon_last_error()[0] == '\0' ? 0 : 1; }
