// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/domain_wall.hpp"
#include "tests/quda/eigenvector_cases.hpp"
#include "tests/quda/twisted_doublet.hpp"
#include "tests/support/program.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace kaon::test {
namespace KAON_TEST_FILE {

void set_name(char (&to)[256], const std::string& name) { name.copy(to, 255); }

std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A real of a file, big endian.
double real_at(const std::string& bytes, std::size_t at) {
  std::uint64_t number = 0;
  for (std::size_t k = 0; k < 8; ++k) number = number << 8 | static_cast<unsigned char>(bytes[at + k]);
  return std::bit_cast<double>(number);
}

/// QUDA's order: all vectors of a site consecutively, sites with x fastest, in the UKQCD basis, zero on the
/// other parity. Vectors with slices are as many fields as there are slices: QUDA's lib/vector_io.cpp takes their
/// numbers on all sites, [parity][slice][site], as if they were such fields, whose halves are one parity each.
void expect_file_of(const std::string& file, const Found& found, int components, int parity, std::size_t slices) {
  const std::string bytes = content_of(file);
  const std::size_t count = slices * found.values.size(), body = bytes.find("scidac-binary-data") + 128;
  ASSERT_GT(bytes.size(), body + 16 * static_cast<std::size_t>(components) * count * tiny_volume);
  const auto has = [&](const std::string& text) { return bytes.find(text) != bytes.npos; };
  EXPECT_TRUE(has("<datatype>QUDA_DNs" + std::to_string(components / 3) + "Nc3_ColorSpinorField</datatype>"));
  EXPECT_TRUE(has("<datacount>" + std::to_string(count) + "</datacount>"));
  for (std::size_t site = 0; site < tiny_volume; ++site) {
    const auto of_site = static_cast<std::size_t>(std::popcount(site) % 2);  // extents are 2: bits are coordinates
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t half = 2 * (i % slices) + of_site, of_half = half / slices;
      const bool held = parity < 0 || static_cast<std::size_t>(parity) == of_half;
      const std::size_t in_client = site / 2 + (parity < 0 ? half : half % slices) * tiny_volume / 2;
      for (std::size_t c = 0; c < static_cast<std::size_t>(components); ++c) {
        const std::size_t at = body + 16 * ((site * count + i) * static_cast<std::size_t>(components) + c);
        const Complex stored(real_at(bytes, at), real_at(bytes, at + 8));
        const Complex expected =
            held ? found.vectors[i / slices][in_client * static_cast<std::size_t>(components) + c] : Complex(0.0);
        ASSERT_EQ(stored, expected) << site << " " << i << " " << c;
      }
    }
  }
}

TEST(QudaEigenvectors, GoToFilesAndComeBack) {
  const TemporaryFolder folder;
  const std::string file = folder / "vectors";
  for (QudaInvertParam of : {invert_param(QUDA_CLOVER_WILSON_DSLASH), invert_param(QUDA_STAGGERED_DSLASH),
                             doublet_param(QUDA_TWISTED_MASS_DSLASH), domain_wall_param(QUDA_MOBIUS_DWF_DSLASH, 3)}) {
    const QudaDslashType type = of.dslash_type;
    const bool staggered = type == QUDA_STAGGERED_DSLASH;
    const std::size_t slices = of.Ls > 1 ? static_cast<std::size_t>(of.Ls) : 1;
    const Tiny tiny_links(type);
    of.gamma_basis = QUDA_UKQCD_GAMMA_BASIS;
    const int components = staggered ? 3 : 12;
    for (const int parity : {-1, 0, 1}) {
      SCOPED_TRACE(testing::Message() << "dslash " << type << ", parity " << parity);
      const std::size_t size = slices * static_cast<std::size_t>(components) * tiny_volume / (parity < 0 ? 1 : 2);
      of.matpc_type = parity == 1 ? QUDA_MATPC_ODD_ODD : QUDA_MATPC_EVEN_EVEN;
      QudaEigParam param = eig_param(of, 3, slices > 1 ? 32 : 16);
      param.use_pc = parity < 0 ? QUDA_BOOLEAN_FALSE : QUDA_BOOLEAN_TRUE;
      param.use_norm_op = staggered && parity >= 0 ? QUDA_BOOLEAN_FALSE : QUDA_BOOLEAN_TRUE;
      param.io_parity_inflate = QUDA_BOOLEAN_TRUE;
      set_name(param.vec_outfile, file);
      const Found found = eigensolve(param, size);
      expect_file_of(file, found, components, parity, slices);

      QudaEigParam reading = param;
      reading.vec_outfile[0] = '\0';
      set_name(reading.vec_infile, file);
      of.gamma_basis = QUDA_DEGRAND_ROSSI_GAMMA_BASIS;
      QudaEigParam plain = param;
      plain.vec_outfile[0] = '\0';
      const Found expected = eigensolve(plain, size), read = eigensolve(reading, size);
      of.gamma_basis = QUDA_UKQCD_GAMMA_BASIS;
      if (slices > 1 && parity == 0) {
        of.matpc_type = QUDA_MATPC_ODD_ODD;
        EXPECT_EXIT(eigensolve(reading, size), testing::ExitedWithCode(1), "fields on other sites");
      }
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(read.values[i].real(), found.values[i].real(), 1e-12);
        for (std::size_t k = 0; k < size; ++k) {
          ASSERT_LT(std::abs(read.vectors[i][k] - expected.vectors[i][k]), 1e-14) << i << " " << k;
        }
      }
    }
  }
}

// In single precision, of a client's other operator, and what cannot be read.
TEST(QudaEigenvectors, OfFilesAreThoseOfTheOperatorOrARefusal) {
  const TemporaryFolder folder;
  const std::string file = folder / "vectors";
  const Tiny tiny_links(QUDA_WILSON_DSLASH);
  QudaInvertParam of = invert_param(QUDA_WILSON_DSLASH);
  const std::size_t size = 12 * tiny_volume;
  const Matrix n = matrix_of(of, size), a = reference::dagger(n) * n;
  QudaEigParam param = eig_param(of, 4, 24);
  param.save_prec = QUDA_SINGLE_PRECISION;
  set_name(param.vec_outfile, file);
  const Found found = eigensolve(param, size);
  EXPECT_LT(content_of(file).size(), 10000u + 8 * 4 * size);
  QudaEigParam reading = param;
  set_name(reading.vec_infile, file);
  set_name(reading.vec_outfile, folder / "not written");
  const Found read = eigensolve(reading, size);
  expect_eigenvectors(read, a, false, 1e-5);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(read.values[i].real(), found.values[i].real(), 1e-10);
  EXPECT_FALSE(std::filesystem::exists(folder / "not written"));

  // <v, A v> of another mass, with a warning.
  of.kappa = 0.2;
  const Matrix other = matrix_of(of, size);
  Found strange;
  of.verbosity = QUDA_SUMMARIZE;
  const std::string said = written([&] { strange = eigensolve(reading, size); });
  EXPECT_NE(said.find("are no eigenvectors of this operator: |A v - lambda v| is up to"), said.npos) << said;
  const Complex expected =
      reference::dot(strange.vectors[0], image(reference::dagger(other) * other, strange.vectors[0]));
  EXPECT_NEAR(strange.values[0].real(), expected.real(), 1e-6);
  of.kappa = 0.124;

  const auto refused = [&](QudaEigParam with, const auto& spoil, const char* text) {
    spoil(with);
    EXPECT_EXIT(eigensolve(with, size), testing::ExitedWithCode(1), text);
  };
  refused(
      reading, [](auto& p) { p.n_conv = 3; }, "vectors holds 4 vectors, but n_conv = 3");
  refused(
      reading, [&](auto& p) { set_name(p.vec_infile, folder / "absent"); }, "absent");
  refused(
      reading, [](auto& p) { p.compute_svd = QUDA_BOOLEAN_TRUE; }, "vec_infile with compute_svd is not supported");
  refused(
      reading, [](auto& p) { p.use_pc = QUDA_BOOLEAN_TRUE; }, "are supported with io_parity_inflate");
  refused(
      reading,
      [](auto& p) {
        p.use_pc = QUDA_BOOLEAN_TRUE;
        p.io_parity_inflate = QUDA_BOOLEAN_TRUE;
      },
      "holds fields on all sites");
  refused(
      param, [](auto& p) { p.partfile = QUDA_BOOLEAN_TRUE; }, "partfile is not supported");
  refused(
      param, [](auto& p) { p.save_prec = QUDA_HALF_PRECISION; }, "save_prec = 2 is not supported");
  refused(
      param, [&](auto& p) { set_name(p.vec_outfile, folder / "no/file"); }, "no/file");
  refused(
      param, [](auto& p) { std::fill(std::begin(p.vec_outfile), std::end(p.vec_outfile), 'x'); },
      "vec_outfile does not end");
  QudaInvertParam laplace = invert_param(QUDA_LAPLACE_DSLASH);
  laplace.laplace3D = 3;
  QudaEigParam with_laplace = reading;
  with_laplace.invert_param = &laplace;
  refused(
      with_laplace, [](auto&) {}, "holds vectors of 4 spins and 3 colours, but the operator acts on 1 and 3");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
