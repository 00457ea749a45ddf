// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdio>

// QUDA's interface as kaon's tests use it: the names that libquda reads, and no others. Orders of members, values of
// enumerators and limits are kaon's own, on which libquda must not depend. Users build libquda with the header of their
// QUDA.

inline constexpr int QUDA_INVALID_ENUM = -0x7fffffff - 1;
inline constexpr int QUDA_MAX_DIM = 5, QUDA_MAX_DWF_LS = 32, QUDA_MAX_MG_LEVEL = 4, QUDA_MAX_MULTI_SHIFT = 24,
                     QUDA_MAX_MULTI_SRC = 40;

// clang-format off
enum QudaAcceleratorType : int {};
enum QudaBLASDataOrder : int { QUDA_BLAS_DATAORDER_COL, QUDA_BLAS_DATAORDER_ROW };
enum QudaBLASDataType : int { QUDA_BLAS_DATATYPE_C, QUDA_BLAS_DATATYPE_D, QUDA_BLAS_DATATYPE_S, QUDA_BLAS_DATATYPE_Z
  };
enum QudaBLASOperation : int { QUDA_BLAS_OP_C, QUDA_BLAS_OP_N, QUDA_BLAS_OP_T };
enum QudaBLASType : int { QUDA_BLAS_GEMM, QUDA_BLAS_LU_INV };
enum QudaBoolean : int { QUDA_BOOLEAN_FALSE = 0, QUDA_BOOLEAN_TRUE = 1 };
enum QudaCABasis : int {};
enum QudaCloverFieldOrder : int { QUDA_PACKED_CLOVER_ORDER, QUDA_QDPJIT_CLOVER_ORDER };
enum QudaComputeNullVector : int { QUDA_COMPUTE_NULL_VECTOR_YES };
enum QudaContractType : int { QUDA_CONTRACT_TYPE_DR, QUDA_CONTRACT_TYPE_DR_FT_T, QUDA_CONTRACT_TYPE_DR_FT_Z,
  QUDA_CONTRACT_TYPE_OPEN, QUDA_CONTRACT_TYPE_OPEN_SUM_T, QUDA_CONTRACT_TYPE_STAGGERED,
  QUDA_CONTRACT_TYPE_STAGGERED_FT_T };
enum QudaDagType : int { QUDA_DAG_NO, QUDA_DAG_YES };
enum QudaDiracFieldOrder : int { QUDA_CPS_WILSON_DIRAC_ORDER, QUDA_DIRAC_ORDER, QUDA_QDPJIT_DIRAC_ORDER,
  QUDA_QDP_DIRAC_ORDER };
enum QudaDslashType : int { QUDA_ASQTAD_DSLASH, QUDA_CLOVER_HASENBUSCH_TWIST_DSLASH, QUDA_CLOVER_WILSON_DSLASH,
  QUDA_COVDEV_DSLASH, QUDA_DOMAIN_WALL_4D_DSLASH, QUDA_DOMAIN_WALL_DSLASH, QUDA_LAPLACE_DSLASH,
  QUDA_MOBIUS_DWF_DSLASH, QUDA_MOBIUS_DWF_EOFA_DSLASH, QUDA_STAGGERED_DSLASH, QUDA_TWISTED_CLOVER_DSLASH,
  QUDA_TWISTED_MASS_DSLASH, QUDA_WILSON_DSLASH };
enum QudaEigSpectrumType : int { QUDA_SPECTRUM_LI_EIG, QUDA_SPECTRUM_LM_EIG, QUDA_SPECTRUM_LR_EIG,
  QUDA_SPECTRUM_SM_EIG, QUDA_SPECTRUM_SR_EIG };
enum QudaEigType : int { QUDA_EIG_BLK_IR_ARNOLDI, QUDA_EIG_BLK_TR_LANCZOS, QUDA_EIG_IR_ARNOLDI, QUDA_EIG_TR_LANCZOS };
enum QudaFFTSymmType : int { QUDA_FFT_SYMM_EO, QUDA_FFT_SYMM_EVEN, QUDA_FFT_SYMM_ODD };
enum QudaFermionSmearType : int { QUDA_FERMION_SMEAR_TYPE_GAUSSIAN, QUDA_FERMION_SMEAR_TYPE_WUPPERTAL };
enum QudaFieldLocation : int { QUDA_CPU_FIELD_LOCATION, QUDA_CUDA_FIELD_LOCATION };
enum QudaGammaBasis : int { QUDA_CHIRAL_GAMMA_BASIS, QUDA_DEGRAND_ROSSI_GAMMA_BASIS, QUDA_DIRAC_PAULI_GAMMA_BASIS,
  QUDA_UKQCD_GAMMA_BASIS };
enum QudaGaugeFieldOrder : int { QUDA_CPS_WILSON_GAUGE_ORDER, QUDA_MILC_GAUGE_ORDER, QUDA_MILC_SITE_GAUGE_ORDER,
  QUDA_QDPJIT_GAUGE_ORDER, QUDA_QDP_GAUGE_ORDER };
enum QudaGaugeFixed : int { QUDA_GAUGE_FIXED_NO };
enum QudaGaugeSmearType : int { QUDA_GAUGE_SMEAR_APE, QUDA_GAUGE_SMEAR_HYP, QUDA_GAUGE_SMEAR_OVRIMP_STOUT,
  QUDA_GAUGE_SMEAR_STOUT, QUDA_GAUGE_SMEAR_SYMANZIK_FLOW, QUDA_GAUGE_SMEAR_WILSON_FLOW, QUDA_GAUGE_SMEAR_INVALID =
  QUDA_INVALID_ENUM };
enum QudaInverterType : int { QUDA_BICGSTABL_INVERTER, QUDA_BICGSTAB_INVERTER, QUDA_CA_CGNE_INVERTER,
  QUDA_CA_CGNR_INVERTER, QUDA_CA_CG_INVERTER, QUDA_CA_GCR_INVERTER, QUDA_CG3NE_INVERTER, QUDA_CG3NR_INVERTER,
  QUDA_CG3_INVERTER, QUDA_CGNE_INVERTER, QUDA_CGNR_INVERTER, QUDA_CG_INVERTER, QUDA_EIGCG_INVERTER, QUDA_GCR_INVERTER,
  QUDA_GMRESDR_INVERTER, QUDA_INC_EIGCG_INVERTER, QUDA_MG_INVERTER, QUDA_MR_INVERTER, QUDA_PCG_INVERTER,
  QUDA_SD_INVERTER, QUDA_INVALID_INVERTER = QUDA_INVALID_ENUM };
enum QudaLinkType : int { QUDA_ASQTAD_FAT_LINKS, QUDA_ASQTAD_LONG_LINKS, QUDA_SMEARED_LINKS, QUDA_TWOLINK_LINKS,
  QUDA_WILSON_LINKS, QUDA_GENERAL_LINKS = QUDA_ASQTAD_FAT_LINKS };
enum QudaMassNormalization : int { QUDA_ASYMMETRIC_MASS_NORMALIZATION, QUDA_KAPPA_NORMALIZATION,
  QUDA_MASS_NORMALIZATION };
enum QudaMatPCType : int { QUDA_MATPC_EVEN_EVEN, QUDA_MATPC_EVEN_EVEN_ASYMMETRIC, QUDA_MATPC_ODD_ODD,
  QUDA_MATPC_ODD_ODD_ASYMMETRIC };
enum QudaMultigridCycleType : int {};
enum QudaParity : int { QUDA_EVEN_PARITY, QUDA_ODD_PARITY };
enum QudaPrecision : int { QUDA_QUARTER_PRECISION = 1, QUDA_HALF_PRECISION = 2, QUDA_SINGLE_PRECISION = 4,
  QUDA_DOUBLE_PRECISION = 8, QUDA_INVALID_PRECISION = QUDA_INVALID_ENUM };
enum QudaPreserveSource : int { QUDA_PRESERVE_SOURCE_NO };
enum QudaReconstructType : int { QUDA_RECONSTRUCT_8 = 8, QUDA_RECONSTRUCT_9 = 9, QUDA_RECONSTRUCT_10 = 10,
  QUDA_RECONSTRUCT_12 = 12, QUDA_RECONSTRUCT_13 = 13, QUDA_RECONSTRUCT_NO = 18 };
enum QudaResidualType : int { QUDA_L2_RELATIVE_RESIDUAL = 1, QUDA_L2_ABSOLUTE_RESIDUAL = 2, QUDA_HEAVY_QUARK_RESIDUAL
  = 4 };
enum QudaSchwarzType : int { QUDA_MULTIPLICATIVE_SCHWARZ };
enum QudaSolutionType : int { QUDA_MATDAG_MAT_SOLUTION, QUDA_MATPCDAG_MATPC_SOLUTION, QUDA_MATPC_SOLUTION,
  QUDA_MAT_SOLUTION, QUDA_INVALID_SOLUTION = QUDA_INVALID_ENUM };
enum QudaSolveType : int { QUDA_DIRECT_PC_SOLVE, QUDA_DIRECT_SOLVE, QUDA_NORMOP_PC_SOLVE, QUDA_NORMOP_SOLVE };
enum QudaSolverNormalization : int { QUDA_DEFAULT_NORMALIZATION };
enum QudaStaggeredPhase : int { QUDA_STAGGERED_PHASE_CHROMA, QUDA_STAGGERED_PHASE_MILC, QUDA_STAGGERED_PHASE_NO,
  QUDA_STAGGERED_PHASE_TIFR };
enum QudaTboundary : int { QUDA_ANTI_PERIODIC_T, QUDA_PERIODIC_T };
enum QudaTwistFlavorType : int { QUDA_TWIST_NO, QUDA_TWIST_NONDEG_DOUBLET, QUDA_TWIST_SINGLET };
enum QudaUseInitGuess : int { QUDA_USE_INIT_GUESS_NO, QUDA_USE_INIT_GUESS_YES };
enum QudaVerbosity : int { QUDA_SILENT, QUDA_SUMMARIZE };
// clang-format on

using QudaCommsMap = int (*)(const int*, void*);

struct QudaGaugeParam {
  std::size_t struct_size, gauge_offset, mom_offset, site_size;
  QudaFieldLocation location;
  QudaGaugeFieldOrder gauge_order;
  QudaGaugeFixed gauge_fix;
  QudaLinkType type;
  QudaPrecision cpu_prec, cuda_prec, cuda_prec_eigensolver, cuda_prec_precondition, cuda_prec_refinement_sloppy,
      cuda_prec_sloppy;
  QudaReconstructType reconstruct, reconstruct_eigensolver, reconstruct_precondition, reconstruct_refinement_sloppy,
      reconstruct_sloppy;
  QudaStaggeredPhase staggered_phase_type;
  QudaTboundary t_boundary;
  double anisotropy, i_mu, scale, tadpole_coeff;
  int ga_pad, make_resident_gauge, make_resident_mom, overwrite_gauge, overwrite_mom, return_result_gauge,
      return_result_mom, staggered_phase_applied, use_resident_gauge, use_resident_mom, X[4];
};

struct QudaInvertParam {
  std::size_t struct_size;
  QudaAcceleratorType accelerator_type_precondition;
  QudaCABasis ca_basis;
  QudaCloverFieldOrder clover_order;
  QudaDagType dagger;
  QudaDiracFieldOrder dirac_order;
  QudaDslashType dslash_type;
  QudaFieldLocation clover_location, input_location, output_location;
  QudaGammaBasis gamma_basis;
  QudaInverterType inv_type, inv_type_precondition;
  QudaMassNormalization mass_normalization;
  QudaMatPCType matpc_type;
  QudaPrecision chrono_precision, clover_cpu_prec, clover_cuda_prec, clover_cuda_prec_eigensolver,
      clover_cuda_prec_precondition, clover_cuda_prec_refinement_sloppy, clover_cuda_prec_sloppy, cpu_prec, cuda_prec,
      cuda_prec_eigensolver, cuda_prec_precondition, cuda_prec_refinement_sloppy, cuda_prec_sloppy;
  QudaPreserveSource preserve_source;
  QudaResidualType residual_type;
  QudaSchwarzType schwarz_type;
  QudaSolutionType solution_type;
  QudaSolveType solve_type;
  QudaSolverNormalization solver_normalization;
  QudaTwistFlavorType twist_flavor;
  QudaUseInitGuess use_init_guess;
  QudaVerbosity verbosity, verbosity_precondition;
  double action[2], ca_lambda_max, ca_lambda_max_precondition, ca_lambda_min, clover_coeff, clover_csw, clover_rho,
      energy, eofa_shift, epsilon, evmax, gflops, iter_res_offset[QUDA_MAX_MULTI_SHIFT], kappa, m5, mass, mq1, mq2, mq3,
      mu, offset[QUDA_MAX_MULTI_SHIFT], omega, power, reliable_delta, reliable_delta_refinement,
      residue[QUDA_MAX_MULTI_SHIFT], secs, tm_rho, tol, tol_hq, tol_hq_offset[QUDA_MAX_MULTI_SHIFT],
      tol_offset[QUDA_MAX_MULTI_SHIFT], tol_precondition, tol_restart, trlogA[2], true_res[QUDA_MAX_MULTI_SRC],
      true_res_hq[QUDA_MAX_MULTI_SRC], true_res_hq_offset[QUDA_MAX_MULTI_SHIFT], true_res_offset[QUDA_MAX_MULTI_SHIFT];
  double _Complex b_5[QUDA_MAX_DWF_LS], c_5[QUDA_MAX_DWF_LS];
  int chrono_index, chrono_make_resident, chrono_max_dim, chrono_replace_last, chrono_use_resident, compute_action,
      compute_clover, compute_clover_inverse, compute_clover_trlog, compute_true_res, covdev_mu, eofa_pm, gcrNkrylov,
      heavy_quark_check, iter, laplace3D, Ls, make_resident_solution, max_hq_res_increase, max_hq_res_restart_total,
      max_res_increase, max_res_increase_total, maxiter, maxiter_precondition, n_ev, Nsteps, num_offset, num_src,
      num_src_per_sub_partition, pipeline, precondition_cycle, return_clover, return_clover_inverse,
      solution_accumulator_pipeline, split_grid[QUDA_MAX_DIM], use_alternative_reliable, use_resident_solution,
      use_sloppy_partial_accumulator;
  void* deflation_op;
  void* eig_param;
  void* preconditioner;
};

struct QudaEigParam {
  std::size_t struct_size;
  QudaBoolean arpack_check, compute_gamma5, compute_svd, io_parity_inflate, partfile, preserve_evals,
      require_convergence, use_dagger, use_eigen_qr, use_norm_op, use_pc, use_poly_acc;
  QudaEigSpectrumType spectrum;
  QudaEigType eig_type;
  QudaFieldLocation location;
  QudaInvertParam* invert_param;
  QudaPrecision save_prec;
  bool use_smeared_gauge;
  char vec_infile[256], vec_outfile[256];
  double a_max, a_min, qr_tol, tol;
  int block_size, compute_evals_batch_size, max_ortho_attempts, max_restarts, n_conv, n_ev, n_ev_deflate, n_kr,
      poly_deg;
};

struct QudaMultigridParam {
  std::size_t struct_size;
  QudaBoolean generate_all_levels, thin_update_only, use_eig_solver[QUDA_MAX_MG_LEVEL], vec_load[QUDA_MAX_MG_LEVEL],
      vec_store[QUDA_MAX_MG_LEVEL];
  QudaComputeNullVector compute_null_vector;
  QudaEigParam* eig_param[QUDA_MAX_MG_LEVEL];
  QudaFieldLocation location[QUDA_MAX_MG_LEVEL];
  QudaInvertParam* invert_param;
  QudaInverterType coarse_solver[QUDA_MAX_MG_LEVEL], setup_inv_type[QUDA_MAX_MG_LEVEL], smoother[QUDA_MAX_MG_LEVEL];
  QudaMultigridCycleType cycle_type[QUDA_MAX_MG_LEVEL];
  QudaPrecision precision_null[QUDA_MAX_MG_LEVEL];
  QudaSchwarzType smoother_schwarz_type[QUDA_MAX_MG_LEVEL];
  QudaSolveType smoother_solve_type[QUDA_MAX_MG_LEVEL];
  QudaVerbosity verbosity[QUDA_MAX_MG_LEVEL];
  char vec_infile[QUDA_MAX_MG_LEVEL][256], vec_outfile[QUDA_MAX_MG_LEVEL][256];
  double coarse_solver_tol[QUDA_MAX_MG_LEVEL], mu_factor[QUDA_MAX_MG_LEVEL], omega[QUDA_MAX_MG_LEVEL],
      setup_tol[QUDA_MAX_MG_LEVEL], smoother_tol[QUDA_MAX_MG_LEVEL];
  int coarse_solver_maxiter[QUDA_MAX_MG_LEVEL], geo_block_size[QUDA_MAX_MG_LEVEL][QUDA_MAX_DIM],
      n_block_ortho[QUDA_MAX_MG_LEVEL], n_level, n_vec[QUDA_MAX_MG_LEVEL], nu_post[QUDA_MAX_MG_LEVEL],
      nu_pre[QUDA_MAX_MG_LEVEL], num_setup_iter[QUDA_MAX_MG_LEVEL], setup_maxiter[QUDA_MAX_MG_LEVEL],
      setup_maxiter_refresh[QUDA_MAX_MG_LEVEL], spin_block_size[QUDA_MAX_MG_LEVEL];
};

struct QudaGaugeObservableParam {
  std::size_t struct_size;
  QudaBoolean compute_gauge_loop_trace, compute_plaquette, compute_polyakov_loop, compute_qcharge,
      compute_qcharge_density, compute_rectangle, remove_staggered_phase, su_project;
  double energy[3], factor, plaquette[3], ploop[2], qcharge, rectangle[3];
  double _Complex* traces;
  double* loop_coeff;
  int max_length, num_paths;
  int* path_length;
  int** input_path_buff;
  void* qcharge_density;
};

struct QudaGaugeSmearParam {
  std::size_t struct_size;
  QudaBoolean restart;
  QudaGaugeSmearType smear_type;
  double alpha, alpha1, alpha2, alpha3, epsilon, rho, smear_anisotropy, t0;
  int dir_ignore;
  unsigned int meas_interval, n_steps, rk_order;
};

struct QudaQuarkSmearParam {
  QudaInvertParam* inv_param;
  double energy, gflops, power, secs, width;
  int compute_2link, delete_2link, n_steps, t0;
};

struct QudaBLASParam {
  std::size_t struct_size;
  QudaBLASDataOrder data_order;
  QudaBLASDataType data_type;
  QudaBLASOperation trans_a, trans_b;
  QudaBLASType blas_type;
  double _Complex alpha, beta;
  int a_offset, a_stride, b_offset, b_stride, batch_count, c_offset, c_stride, inv_mat_size, k, lda, ldb, ldc, m, n;
};

extern "C" {

void MatDagMatQuda(void*, void*, QudaInvertParam*);
void MatQuda(void*, void*, QudaInvertParam*);
void blasGEMMQuda(void*, void*, void*, QudaBoolean, QudaBLASParam*);
void blasLUInvQuda(void*, void*, QudaBoolean, QudaBLASParam*);
void cloverQuda(void*, void*, QudaInvertParam*, QudaParity, int);
void computeCloverForceQuda(void*, double, void**, void**, double*, double, double, int, double, void*, QudaGaugeParam*,
                            QudaInvertParam*);
int computeGaugeFixingFFTQuda(void*, unsigned int, unsigned int, unsigned int, double, unsigned int, double,
                              unsigned int, QudaGaugeParam*);
int computeGaugeFixingOVRQuda(void*, unsigned int, unsigned int, unsigned int, double, double, unsigned int,
                              unsigned int, QudaGaugeParam*);
int computeGaugeForceQuda(void*, void*, int***, int*, double*, int, int, double, QudaGaugeParam*);
void computeGaugeLoopTraceQuda(double _Complex*, int**, int*, double*, int, int, double);
int computeGaugePathQuda(void*, void*, int***, int*, double*, int, int, double, QudaGaugeParam*);
void computeHISQForceQuda(void*, double, const double*, const double*, const void*, const void*, const void*, void**,
                          int, int, double**, QudaGaugeParam*);
void computeKSLinkQuda(void*, void*, void*, void*, double*, QudaGaugeParam*);
void computeTMCloverForceQuda(void*, void**, void**, double*, int, QudaGaugeParam*, QudaInvertParam*, int);
void computeTwoLinkQuda(void*, void*, QudaGaugeParam*);
void contractFTQuda(void**, void**, void**, QudaContractType, void*, int, const int*, const int*, int, const int*,
                    const QudaFFTSymmType*);
void contractQuda(const void*, const void*, void*, QudaContractType, QudaInvertParam*, const int*);
void covDevQuda(void*, void*, int, QudaInvertParam*);
void createCloverQuda(QudaInvertParam*);
void destroyMultigridQuda(void*);
void dslashMultiSrcQuda(void**, void**, QudaInvertParam*, QudaParity);
void dslashQuda(void*, void*, QudaInvertParam*, QudaParity);
void dumpMultigridQuda(void*, QudaMultigridParam*);
void eigensolveQuda(void**, double _Complex*, QudaEigParam*);
void endQuda();
void flushChronoQuda(int);
void freeCloverQuda();
void freeGaugeQuda();
void freeGaugeSmearedQuda();
void freeGaugeTwoLinkQuda();
void freeUniqueGaugeQuda(QudaLinkType);
void gaugeObservablesQuda(QudaGaugeObservableParam*);
void gaussGaugeQuda(unsigned long long, double);
void gaussMomQuda(unsigned long long, double);
void initCommsGridQuda(int, const int*, QudaCommsMap, void*);
void initQuda(int);
void initQudaDevice(int);
void initQudaMemory();
void invertMultiShiftQuda(void**, void*, QudaInvertParam*);
void invertMultiSrcQuda(void**, void**, QudaInvertParam*);
void invertQuda(void*, void*, QudaInvertParam*);
void laphSinkProject(double _Complex*, void**, int, int, void**, int, int, QudaInvertParam*, const int*);
void loadCloverQuda(void*, void*, QudaInvertParam*);
void loadGaugeQuda(void*, QudaGaugeParam*);
double momActionQuda(void*, QudaGaugeParam*);
void momResidentQuda(void*, QudaGaugeParam*);
void* newMultigridQuda(QudaMultigridParam*);
QudaBLASParam newQudaBLASParam();
QudaEigParam newQudaEigParam();
QudaGaugeObservableParam newQudaGaugeObservableParam();
QudaGaugeParam newQudaGaugeParam();
QudaGaugeSmearParam newQudaGaugeSmearParam();
QudaInvertParam newQudaInvertParam();
QudaMultigridParam newQudaMultigridParam();
void performFermionSmearQuda(void*, void*, QudaInvertParam*, int, double, QudaFermionSmearType);
void performGFlowQuda(void**, void**, QudaInvertParam*, QudaGaugeSmearParam*, QudaGaugeObservableParam*, std::size_t);
void performGaugeSmearQuda(QudaGaugeSmearParam*, QudaGaugeObservableParam*);
void performGaussianSmearNStep(void*, void*, QudaInvertParam*, int, double);
void performTwoLinkGaussianSmearNStep(void*, QudaQuarkSmearParam*);
void performWFlowQuda(QudaGaugeSmearParam*, QudaGaugeObservableParam*);
void performWuppertalnStep(void*, void*, QudaInvertParam*, unsigned int, double);
void plaqQuda(double*);
void polyakovLoopQuda(double*, int);
void printQudaBLASParam(QudaBLASParam*);
void printQudaEigParam(QudaEigParam*);
void printQudaGaugeObservableParam(QudaGaugeObservableParam*);
void printQudaGaugeParam(QudaGaugeParam*);
void printQudaInvertParam(QudaInvertParam*);
void printQudaMultigridParam(QudaMultigridParam*);
void projectSU3Quda(void*, double, QudaGaugeParam*);
void qudaSetCommHandle(void*);
void saveGaugeQuda(void*, QudaGaugeParam*);
void setMPICommHandleQuda(void*);
void setVerbosityQuda(QudaVerbosity, const char*, std::FILE*);
void shiftQuda(void*, void*, int, int, QudaInvertParam*);
void spinTasteQuda(void*, void*, int, int, QudaInvertParam*);
void staggeredPhaseQuda(void*, QudaGaugeParam*);
void updateGaugeFieldQuda(void*, void*, double, int, int, QudaGaugeParam*);
void updateMultigridQuda(void*, QudaMultigridParam*);
void updateR();

// Functions that libquda refuses.
void computeStaggeredForceQuda();
void copyExtendedResidentGaugeQuda();
void createGaugeFieldQuda();
void destroyDeflationQuda();
void destroyGaugeFieldQuda();
void flushPoolQuda();
void lanczosQuda();
void newDeflationQuda();
void pack_ghost();
void performAdjGFlowHier();
void performAdjGFlowSafe();
void saveGaugeFieldQuda(void*, void*, QudaGaugeParam*);
void set_dim();
}
