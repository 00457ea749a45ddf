#!/usr/bin/env bash
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# CLI11 2.6.1 drops commas from the numbers of options: "0,1345", as much of Europe writes 0.1345, is 1345. CLI11 2.4.1
# refuses the word. kaon reads its numbers itself (apps/cli/options.cpp).
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/number.cpp" <<'TEXT'
#include <CLI/CLI.hpp>
#include <iostream>

int main(int argc, char** argv) {
  CLI::App app;
  double kappa = 0;
  app.add_option("--kappa", kappa);
  CLI11_PARSE(app, argc, argv);
  std::cout << kappa << '\n';
}
TEXT

wrong=0
# version of the package, what the program prints for --kappa 0,1345
while read -r version expected; do
  (cd "$folder" && apt-get -qq -o APT::Sandbox::User=root download "libcli11-dev=$version") || exit 77
  dpkg-deb -x "$folder/libcli11-dev_${version}_all.deb" "$folder/$version"
  g++ -std=c++17 -O0 -isystem "$folder/$version/usr/include" "$folder/number.cpp" -o "$folder/number"
  seen=$("$folder/number" --kappa 0,1345 2>/dev/null) || seen=refused
  echo "CLI11 $version: --kappa 0,1345 is $seen (expected: $expected)"
  [[ $seen == "$expected" ]] || wrong=1
done <<'TEXT'
2.4.1+ds-2 refused
2.6.1+ds-1 1345
TEXT
exit $wrong
