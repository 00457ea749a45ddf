// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/force_cases.hpp"
#include "tests/quda/twisted_doublet.hpp"
#include "tests/support/resident_bytes.hpp"

// A client that calls as tmLQCD does for a doublet of twisted clover quarks: links and clover term loaded again where
// links have changed, several shifts and forces on odd sites in one basis, propagators on all sites in another, bounds
// of eigenvalues without vectors, one structure of parameters for all of these.
namespace kaon::test {
namespace KAON_TEST_FILE {

using force::vectors;

class Client {
 public:
  explicit Client(double tolerance) : tolerance_(tolerance) {
    inverter_.clover_order = QUDA_PACKED_CLOVER_ORDER;
    inverter_.residual_type = QUDA_L2_RELATIVE_RESIDUAL;
    inverter_.maxiter = 5000;
    inverter_.tm_rho = 0.0;
    gauge_.t_boundary = QUDA_PERIODIC_T;  // the links hold the boundary's phases
    own_ = host_param();
    own_.t_boundary = QUDA_PERIODIC_T;
    own_.overwrite_mom = 1;
  }
  ~Client() {
    freeGaugeQuda();
    freeCloverQuda();
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Links are loaded by the next call that needs them.
  void set_links(const reference::Links& links) {
    links_ = QdpLinks(multiplied(links, true, 1.0));
    current_ = false;
  }

  /// largest^2 (N'^dag N' + sigma_r)^-1 phi, N' = gamma5 N^dag gamma5, on odd sites of both flavours.
  std::vector<std::vector<Complex>> solutions(const std::vector<Complex>& phi) {
    prepare(true);
    inverter_.solution_type = QUDA_MATPCDAG_MATPC_SOLUTION;
    inverter_.dagger = QUDA_DAG_YES;
    inverter_.num_offset = vectors;
    for (std::size_t r = 0; r < vectors; ++r) {
      inverter_.offset[r] = largest * largest * masses[r] * masses[r];
      inverter_.tol_offset[r] = tolerance_;
    }
    std::vector<Complex> source = reference::multiply_gamma5(phi, 12);
    std::vector<std::vector<Complex>> x(vectors, std::vector<Complex>(phi.size()));
    void* pointers[vectors];
    for (std::size_t r = 0; r < vectors; ++r) pointers[r] = x[r].data();
    invertMultiShiftQuda(pointers, source.data(), &inverter_);
    for (auto& solution : x) {
      solution = reference::multiply_gamma5(std::move(solution), 12);
      for (Complex& z : solution) z *= largest * largest;
    }
    return x;
  }

  /// 2 phi^dag sum_r a_r (Q^2/largest^2 + masses_r^2)^-1 phi - 2 ln |det A_2|
  double action(const std::vector<Complex>& phi) {
    const auto x = solutions(phi);
    double sum = -2.0 * inverter_.trlogA[0];
    for (std::size_t r = 0; r < vectors; ++r) sum += 2.0 * residues[r] * reference::dot(phi, x[r]).real();
    return sum;
  }

  reference::Links gradient(const std::vector<Complex>& phi) {
    auto x = solutions(phi);
    void* pointers[vectors];
    double coefficients[vectors];
    for (std::size_t r = 0; r < vectors; ++r) {
      pointers[r] = x[r].data();
      coefficients[r] = 4.0 * inverter_.kappa * inverter_.kappa * residues[r] / largest;
      inverter_.offset[r] = masses[r];
    }
    inverter_.evmax = largest;
    inverter_.clover_csw = inverter_.clover_coeff / inverter_.kappa;
    inverter_.matpc_type = QUDA_MATPC_ODD_ODD_ASYMMETRIC;
    QdpMomenta force;
    computeTMCloverForceQuda(force.pointers(), pointers, nullptr, coefficients, vectors, &own_, &inverter_, 0);
    return force::host(force);
  }

  /// An eigenvalue without its vector, or with it.
  double eigenvalue(bool greatest, std::vector<Complex>* vector = nullptr) {
    prepare(true);
    inverter_.solution_type = QUDA_MATPCDAG_MATPC_SOLUTION;
    QudaInvertParam of = inverter_;
    QudaEigParam param = newQudaEigParam();
    param.invert_param = &of;
    param.eig_type = QUDA_EIG_TR_LANCZOS;
    param.block_size = 1;
    param.tol = param.qr_tol = 1e-9;
    param.use_pc = param.use_norm_op = QUDA_BOOLEAN_TRUE;
    param.use_poly_acc = greatest || vector != nullptr ? QUDA_BOOLEAN_FALSE : QUDA_BOOLEAN_TRUE;
    param.poly_deg = 16;
    param.a_min = 0.5;
    param.a_max = largest * largest;
    param.use_dagger = param.use_eigen_qr = param.compute_svd = param.compute_gamma5 = QUDA_BOOLEAN_FALSE;
    param.spectrum = greatest ? QUDA_SPECTRUM_LR_EIG : QUDA_SPECTRUM_SR_EIG;
    param.n_conv = param.n_ev = 1;
    param.n_kr = 64;
    param.max_restarts = 1000;
    Complex value;
    void* pointers[] = {vector == nullptr ? nullptr : vector->data()};
    eigensolveQuda(vector == nullptr ? nullptr : pointers, reinterpret_cast<double _Complex*>(&value), &param);
    return value.real();
  }

  /// N psi = b on all sites in the chiral basis, [parity][flavour][site].
  std::vector<Complex> propagator(std::vector<Complex> source) {
    prepare(false);
    inverter_.solution_type = QUDA_MAT_SOLUTION;
    inverter_.dagger = QUDA_DAG_NO;
    std::vector<Complex> psi(source.size());
    invertQuda(psi.data(), source.data(), &inverter_);
    return psi;
  }

  const QudaInvertParam& parameters() const { return inverter_; }

  static constexpr double largest = 2.6;  ///< above all singular values of N on odd sites

 private:
  static constexpr double masses[vectors] = {0.15, 0.6}, residues[vectors] = {0.08, 0.3};

  void prepare(bool one_parity) {
    inverter_.tol = tolerance_;
    inverter_.gamma_basis = one_parity ? QUDA_DEGRAND_ROSSI_GAMMA_BASIS : QUDA_CHIRAL_GAMMA_BASIS;
    inverter_.matpc_type = one_parity ? QUDA_MATPC_ODD_ODD_ASYMMETRIC : QUDA_MATPC_EVEN_EVEN;
    if (current_) return;
    if (loaded_) freeGaugeQuda();
    loadGaugeQuda(links_.pointers(), &gauge_);
    if (loaded_) freeCloverQuda();
    loadCloverQuda(nullptr, nullptr, &inverter_);
    loaded_ = current_ = true;
  }

  double tolerance_;
  QudaGaugeParam gauge_ = gauge_param(), own_;
  QudaInvertParam inverter_ = doublet_param(QUDA_TWISTED_CLOVER_DSLASH);
  QdpLinks links_{reference::Links{}};
  bool loaded_ = false, current_ = false;
};

/// Normal numbers on the odd sites of both flavours.
std::vector<Complex> pseudofermion() {
  std::mt19937_64 generator(4);
  return reference::random_vector(static_cast<std::size_t>(12 * volume_of(extents)), generator);
}

struct Trajectory {
  reference::Links links, momenta;
  double change = 0.0;  ///< of the energy

  /// Leapfrog of |P|^2/2 + S, S the client's action.
  void run(Client& client, const std::vector<Complex>& phi, int steps, double step) {
    const auto energy = [&] { return 0.5 * force::product(momenta, momenta) + client.action(phi); };
    const auto kick = [&](double dt) {
      const reference::Links force = client.gradient(phi);
      for (std::size_t k = 0; k < momenta.size(); ++k) momenta[k] -= dt * force[k];
    };
    client.set_links(links);
    const double before = energy();
    kick(0.5 * step);
    for (int k = 0; k < steps; ++k) {
      links = reference::moved(links, momenta, step, extents);
      client.set_links(links);
      kick(k + 1 == steps ? 0.5 * step : step);
    }
    change = energy() - before;
  }
};

Trajectory start() { return {force::smooth_links(), force::directions_of_test().front()}; }

// Solves, forces and logarithms belong to one action: the energy's change falls as the square of the step, and momenta
// turned round lead back.
TEST(Tmlqcd, ADoubletsTrajectoryConservesEnergyAndIsReversible) {
  Client client(1e-12);
  const std::vector<Complex> phi = pseudofermion();
  double changes[2];
  for (const int refined : {1, 2}) {
    Trajectory trajectory = start();
    trajectory.run(client, phi, 4 * refined, 0.05 / refined);
    changes[refined - 1] = trajectory.change;
    if (refined == 2) break;
    for (Complex& z : trajectory.momenta) z = -z;
    trajectory.run(client, phi, 4, 0.05);
    EXPECT_NEAR(trajectory.change, -changes[0], 1e-8);
    EXPECT_LT(reference::relative_difference(trajectory.links, start().links), 1e-11);
  }
  EXPECT_GT(std::abs(changes[0]), 1e-6);
  EXPECT_NEAR(changes[0] / changes[1], 4.0, 0.1) << changes[0] << ' ' << changes[1];
}

// Bounds of a rational approximation: eigenvalues of N^dag N, with a polynomial for the smallest.
TEST(Tmlqcd, BoundsOfADoubletAreEigenvalues) {
  Client client(1e-10);
  client.set_links(force::smooth_links());
  for (const bool greatest : {false, true}) {
    std::vector<Complex> vector(pseudofermion().size());
    const double bound = client.eigenvalue(greatest), value = client.eigenvalue(greatest, &vector);
    EXPECT_NEAR(bound, value, 1e-7 * value);
    EXPECT_LT(value, Client::largest * Client::largest);
    QudaInvertParam param = client.parameters();
    std::vector<Complex> image(vector.size());
    MatDagMatQuda(image.data(), vector.data(), &param);
    for (Complex& z : vector) z *= value;
    EXPECT_LT(reference::relative_difference(image, vector), 1e-8);
    // A random vector lies between the two.
    std::vector<Complex> random = pseudofermion();
    MatDagMatQuda(image.data(), random.data(), &param);
    const double mean = reference::dot(random, image).real() / reference::norm2(random);
    EXPECT_GT(mean * (greatest ? -1.0 : 1.0), value * (greatest ? -1.0 : 1.0));
  }
}

// Clover terms, solves, forces and propagators in sequence, as in a run.
TEST(Tmlqcd, ManyConfigurationsNeedNoMoreMemoryThanOne) {
  Client client(1e-8);
  const std::vector<Complex> phi = pseudofermion();
  std::vector<Complex> source(2 * phi.size());
  source[0] = 1.0;
  std::vector<Complex> psi;
  reference::Links force;
  const auto configuration = [&] {
    client.set_links(force::smooth_links());
    force = client.gradient(phi);
    psi = client.propagator(source);
  };
  for (int k = 0; k < 20; ++k) configuration();
  const std::vector<Complex> first_psi = psi;
  const reference::Links first_force = force;
  const long before = resident_bytes();
  for (int k = 0; k < 100; ++k) {
    configuration();
    EXPECT_EQ(psi, first_psi);
    EXPECT_EQ(force, first_force);
  }
  std::vector<Complex> image(psi.size());
  QudaInvertParam param = client.parameters();
  MatQuda(image.data(), psi.data(), &param);
  EXPECT_LT(reference::relative_difference(image, source), 1.01e-8);
  // Links of this lattice have 295 kB.
  EXPECT_LT(resident_bytes() - before, 10'000'000);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
