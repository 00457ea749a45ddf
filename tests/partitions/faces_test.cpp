// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/halo_backend.hpp"
#include "tests/partitions/partitions.hpp"

#include <cstdint>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// The process to which each process sends through each of its faces, counted from 1; 0 where it does not.
std::vector<std::uint64_t> all_sends(const Lattice& lattice) {
  const Communicator& all = lattice.communicator();
  std::vector<std::uint64_t> to(static_cast<std::size_t>(all.size() * detail::faces));
  for (int face = 0; face < detail::faces; ++face) {
    if (!lattice.is_partitioned(static_cast<std::size_t>(face / 2))) continue;
    to[static_cast<std::size_t>(all.rank() * detail::faces + face)] =
        static_cast<std::uint64_t>(detail::sends_to(lattice, face) + 1);
  }
  all.exclusive_or(to);
  return to;
}

/// On this NCCL relies, which has no tags.
TEST(Faces, AreReceivedFromAProcessInTheOrderInWhichItSends) {
  for (const Partition& partition : all_partitions()) {
    SCOPED_TRACE(partition.name);
    const Lattice& lattice = partition.parts;
    const std::vector<std::uint64_t> to = all_sends(lattice);
    const auto here = static_cast<std::uint64_t>(lattice.communicator().rank() + 1);
    for (int other = 0; other < lattice.communicator().size(); ++other) {
      std::vector<int> sent, received;
      for (int face = 0; face < detail::faces; ++face) {
        if (to[static_cast<std::size_t>(other * detail::faces + face)] == here) sent.push_back(face);
        if (!lattice.is_partitioned(static_cast<std::size_t>(face / 2))) continue;
        if (detail::receives_from(lattice, face) == other) received.push_back(face);
      }
      EXPECT_EQ(sent, received);
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
