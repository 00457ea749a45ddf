// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <quda.h>

// MILC's part of QUDA's interface as kaon's tests use it.

struct QudaMILCSiteArg_t {
  std::size_t link_offset, mom_offset, size;
  void* link;
  void* mom;
  void* site;
};

struct QudaInvertArgs_t {
  QudaInverterType solver_type;
  QudaParity evenodd;
  double boundary_phase[4], naik_epsilon;
  int make_resident_solution, max_iter, mixed_precision, use_resident_solution;
};

struct QudaLayout_t {
  const int* latsize;
  const int* machsize;
  int device;
};

struct QudaInitArgs_t {
  QudaLayout_t layout;
  QudaVerbosity verbosity;
};

struct QudaHisqParams_t {
  double force_filter;
};

struct QudaFatLinkArgs_t {};

struct QudaContractArgs_t {
  QudaFFTSymmType* fft_type;
  double flops;
  int n_mom;
  int* mom_modes;
  int* source_position;
};

struct QudaTwoLinkQuarkSmearArgs_t {
  double width;
  int compute_2link, delete_2link, laplaceDim, n_steps, t0;
};

extern "C" {

void* qudaAllocateManaged(std::size_t);
void* qudaAllocatePinned(std::size_t);
void qudaCloverForce(void*, double, void**, void**, double*, double, double, int, double, void*, int, QudaInvertArgs_t);
void qudaCloverInvert(int, int, double, double, QudaInvertArgs_t, double, double, const void*, void*, void*, void*,
                      void*, double*, double*, int*);
void qudaCloverMultishiftInvert(int, int, int, double*, double, double, QudaInvertArgs_t, const double*, void*, void**,
                                double*, int*);
void qudaContractFT(int, QudaContractArgs_t*, void*, void*, double*);
void qudaDslash(int, int, QudaInvertArgs_t, const void*, const void*, void*, void*, int*);
void qudaFinalize();
void qudaFreeCloverField();
void qudaFreeGaugeField();
void qudaFreeManaged(void*);
void qudaFreePinned(void*);
void qudaFreeTwoLink();
void qudaGaugeFixingFFT(int, unsigned int, int, int, double, unsigned int, double, unsigned int, void*);
void qudaGaugeFixingOVR(int, unsigned int, int, int, double, double, unsigned int, unsigned int, QudaMILCSiteArg_t*);
void qudaGaugeForce(int, int, double*, double, QudaMILCSiteArg_t*);
void qudaGaugeForcePhased(int, int, double*, double, QudaMILCSiteArg_t*, int);
void qudaGaugeLoopTracePhased(int, double*, int**, int*, double*, int, int, double, QudaMILCSiteArg_t*, int);
void qudaGaugeMeasurementsPhased(int, double*, double*, int, double*, int**, int*, double*, int, int, double,
                                 QudaMILCSiteArg_t*, int);
void qudaHisqForce(int, int, int, double, double**, void**, const double*, const double*, const void*, const void*,
                   const void*, void*);
void qudaHisqParamsInit(QudaHisqParams_t);
void qudaInit(QudaInitArgs_t);
void qudaInvert(int, int, double, QudaInvertArgs_t, double, double, const void*, const void*, void*, void*, double*,
                double*, int*);
void qudaInvertMG(int, int, double, QudaInvertArgs_t, double, double, const void*, const void*, void*, int, void*,
                  void*, double*, double*, int*);
void qudaInvertMsrc(int, int, double, QudaInvertArgs_t, double, double, const void*, const void*, void**, void**,
                    double*, double*, int*, int);
void qudaLoadGaugeField(int, int, QudaInvertArgs_t, const void*);
void qudaLoadKSLink(int, QudaFatLinkArgs_t, const double*, void*, void*, void*);
void qudaLoadUnitarizedLink(int, QudaFatLinkArgs_t, const double*, void*, void*, void*);
double qudaMomAction(int, QudaMILCSiteArg_t*);
void qudaMomLoad(int, QudaMILCSiteArg_t*);
void qudaMomSave(int, QudaMILCSiteArg_t*);
void* qudaMultigridCreate(int, int, double, QudaInvertArgs_t, const void*, const void*, const char*);
void qudaMultigridDestroy(void*);
void qudaMultishiftInvert(int, int, int, double*, QudaInvertArgs_t, const double*, const double*, const void*,
                          const void*, void*, void**, double*, double*, int*);
void qudaPlaquettePhased(int, double*, QudaMILCSiteArg_t*, int);
void qudaPolyakovLoopPhased(int, double*, int, QudaMILCSiteArg_t*, int);
void qudaRephase(int, void*, int, double);
void qudaSetLayout(QudaLayout_t);
void qudaSetMPICommHandle(void*);
void qudaShift(int, int, const void*, void*, void*, int, int, int);
void qudaSpinTaste(int, int, const void*, void*, void*, int, int, int);
void qudaTwoLinkGaussianSmear(int, int, void*, void*, QudaTwoLinkQuarkSmearArgs_t);
void qudaUnitarizeSU3(int, double, QudaMILCSiteArg_t*);
void qudaUnitarizeSU3Phased(int, double, QudaMILCSiteArg_t*, int);
void qudaUpdateU(int, double, QudaMILCSiteArg_t*);
void qudaUpdateUPhased(int, double, QudaMILCSiteArg_t*, int);
void qudaUpdateUPhasedPipeline(int, double, QudaMILCSiteArg_t*, int, int);

// Functions that libquda refuses.
void qudaAsqtadForce();
void qudaCloverDerivative();
void qudaCloverTrace();
void qudaComputeOprod();
void qudaCreateExtendedGaugeField();
void qudaCreateGaugeField();
void qudaDDInvert();
void qudaDestroyGaugeField();
void qudaEigCGCloverInvert();
void qudaEigCGInvert();
void qudaLoadCloverField();
void qudaResidentExtendedGaugeField();
void qudaSaveGaugeField();
}
