# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# What findings begin with: a temporary folder, in which they run and which is removed at their end, and packages of Debian
# in it. Nothing is installed.

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# take_lists SUITE...: the lists of packages of these suites, of the mirror that this machine already uses; components of
# the suite: $components, or main
take_lists() {
  local mirror suite
  mirror=$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -n 1 | tr -d ' ' || true)
  [[ $mirror ]] || exit 77
  mkdir -p lists/partial cache/archives/partial
  for suite; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite ${components:-main}"
  done >sources.list
  apt=(apt-get -qq -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$folder/lists"
    -o Dir::Cache="$folder/cache" -o APT::Sandbox::User=root)
  "${apt[@]}" update || exit 77
}

# unpack FOLDER PACKAGE=VERSION...: packages of these lists
unpack() {
  mkdir -p "$1" && (cd "$1" && "${apt[@]}" download "${@:2}" && for f in *.deb; do dpkg-deb -x "$f" .; done) || exit 77
}
