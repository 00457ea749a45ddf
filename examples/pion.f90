! SPDX-FileCopyrightText: The kaon authors
! SPDX-License-Identifier: MIT
!
! kaon from Fortran, by ISO_C_BINDING: a hot start, some sweeps of heatbath, a Wilson propagator and its pion correlator.
! Structures are declared with the fields of kaon.h in their order, and filled by kaon's _init functions. docs/c.md says
! how programs of Fortran use kaon.
!
!     gfortran pion.f90 $(pkg-config --libs kaon) -Wl,-rpath,$(pkg-config --variable=libdir kaon) -o pion_f
!     ./pion_f
module kaon
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int), parameter :: kaon_double = 0, kaon_hot = 1, kaon_wilson = 0

  type, bind(c) :: kaon_lattice_options
    integer(c_size_t) :: size
    integer(c_int) :: extents(4), grid(4)
    type(c_ptr) :: ranks
    integer(c_int) :: use_communicator, communicator  ! 1 and a communicator of Fortran's MPI
    integer(c_int) :: reach
  end type

  type, bind(c) :: kaon_heatbath_options
    integer(c_size_t) :: size
    real(c_double) :: beta
    integer(c_int) :: overrelaxations
    integer(c_int64_t) :: seed
    integer(c_int32_t) :: update
  end type

  type, bind(c) :: kaon_spinor_options
    integer(c_size_t) :: size
    integer(c_int) :: precision, spins, colors, right_hand_sides, slices
  end type

  type, bind(c) :: kaon_source_options
    integer(c_size_t) :: size
    integer(c_int) :: kind, site(4), spin, color
    integer(c_int64_t) :: seed
  end type

  type, bind(c) :: kaon_operator_options
    integer(c_size_t) :: size
    integer(c_int) :: action
    real(c_double) :: mass, kappa, mu, csw, csw_temporal, xi0, nu, boundary(4), u0, naik_epsilon, m5
    integer(c_int) :: slices
    real(c_double) :: b, c, epsilon
    type(c_ptr) :: b_of_slices, c_of_slices
    real(c_double) :: lower_mass
  end type

  type, bind(c) :: kaon_report
    integer(c_int) :: converged, iterations, fallbacks
    real(c_double) :: residual, seconds, flops, error, unused(3)
  end type

  interface
    function kaon_last_error() bind(c)
      import :: c_ptr
      type(c_ptr) :: kaon_last_error
    end function
    integer(c_int) function kaon_start(options) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
    end function
    integer(c_int) function kaon_stop() bind(c)
      import :: c_int
    end function
    subroutine kaon_lattice_options_init(options) bind(c)
      import :: kaon_lattice_options
      type(kaon_lattice_options) :: options
    end subroutine
    integer(c_int) function kaon_lattice_create(options, lattice) bind(c)
      import :: c_int, c_ptr, kaon_lattice_options
      type(kaon_lattice_options) :: options
      type(c_ptr) :: lattice
    end function
    subroutine kaon_lattice_destroy(lattice) bind(c)
      import :: c_ptr
      type(c_ptr) :: lattice
    end subroutine
    integer(c_int) function kaon_gauge_create(lattice, precision, gauge) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: lattice
      integer(c_int), value :: precision
      type(c_ptr) :: gauge
    end function
    integer(c_int) function kaon_gauge_start(gauge, kind, seed, width) bind(c)
      import :: c_int, c_ptr, c_int64_t, c_double
      type(c_ptr), value :: gauge
      integer(c_int), value :: kind
      integer(c_int64_t), value :: seed
      real(c_double), value :: width
    end function
    subroutine kaon_heatbath_options_init(options) bind(c)
      import :: kaon_heatbath_options
      type(kaon_heatbath_options) :: options
    end subroutine
    integer(c_int) function kaon_gauge_heatbath(gauge, options) bind(c)
      import :: c_int, c_ptr, kaon_heatbath_options
      type(c_ptr), value :: gauge
      type(kaon_heatbath_options) :: options
    end function
    integer(c_int) function kaon_gauge_plaquette(gauge, plaquette) bind(c)
      import :: c_int, c_ptr, c_double
      type(c_ptr), value :: gauge
      real(c_double) :: plaquette(3)
    end function
    subroutine kaon_gauge_destroy(gauge) bind(c)
      import :: c_ptr
      type(c_ptr) :: gauge
    end subroutine
    subroutine kaon_spinor_options_init(options) bind(c)
      import :: kaon_spinor_options
      type(kaon_spinor_options) :: options
    end subroutine
    integer(c_int) function kaon_spinor_create(lattice, options, spinor) bind(c)
      import :: c_int, c_ptr, kaon_spinor_options
      type(c_ptr), value :: lattice
      type(kaon_spinor_options) :: options
      type(c_ptr) :: spinor
    end function
    subroutine kaon_source_options_init(options) bind(c)
      import :: kaon_source_options
      type(kaon_source_options) :: options
    end subroutine
    integer(c_int) function kaon_spinor_source(spinor, options) bind(c)
      import :: c_int, c_ptr, kaon_source_options
      type(c_ptr), value :: spinor
      type(kaon_source_options) :: options
    end function
    subroutine kaon_spinor_destroy(spinor) bind(c)
      import :: c_ptr
      type(c_ptr) :: spinor
    end subroutine
    subroutine kaon_operator_options_init(options) bind(c)
      import :: kaon_operator_options
      type(kaon_operator_options) :: options
    end subroutine
    integer(c_int) function kaon_operator_create(gauge, options, dirac) bind(c)
      import :: c_int, c_ptr, kaon_operator_options
      type(c_ptr), value :: gauge
      type(kaon_operator_options) :: options
      type(c_ptr) :: dirac
    end function
    subroutine kaon_operator_destroy(dirac) bind(c)
      import :: c_ptr
      type(c_ptr) :: dirac
    end subroutine
    integer(c_int) function kaon_solver_create(dirac, options, solver) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: dirac, options
      type(c_ptr) :: solver
    end function
    integer(c_int) function kaon_solver_solve(solver, x, b, reports) bind(c)
      import :: c_int, c_ptr, kaon_report
      type(c_ptr), value :: solver, x, b
      type(kaon_report) :: reports(*)
    end function
    subroutine kaon_solver_destroy(solver) bind(c)
      import :: c_ptr
      type(c_ptr) :: solver
    end subroutine
    integer(c_int) function kaon_pion_correlator(propagator, options, length, correlator) bind(c)
      import :: c_int, c_ptr, c_double
      type(c_ptr), value :: propagator, options
      integer(c_int), value :: length
      real(c_double) :: correlator(*)
    end function
  end interface

contains

  ! Ends the program with the text of the last error, unless the status is KAON_OK.
  subroutine check(status)
    integer(c_int), intent(in) :: status
    character(kind=c_char), pointer :: text(:)
    integer :: n
    if (status == 0) return
    call c_f_pointer(kaon_last_error(), text, [100000])
    n = 1
    do while (text(n) /= c_null_char)
      n = n + 1
    end do
    print '(*(a))', text(1:n - 1)
    error stop 1
  end subroutine
end module

program pion
  use kaon
  implicit none
  integer, parameter :: length = 8
  type(kaon_lattice_options) :: extents
  type(kaon_heatbath_options) :: heatbath
  type(kaon_operator_options) :: physics
  type(kaon_spinor_options) :: shape_of
  type(kaon_source_options) :: point
  type(kaon_report) :: reports(12)
  type(c_ptr) :: lattice, gauge, dirac, solver, source, propagator
  real(c_double) :: plaquette(3), correlator(length)
  integer :: sweep, t

  call check(kaon_start(c_null_ptr))
  call kaon_lattice_options_init(extents)
  extents%extents = [4, 4, 4, length]
  call check(kaon_lattice_create(extents, lattice))

  call check(kaon_gauge_create(lattice, kaon_double, gauge))
  call check(kaon_gauge_start(gauge, kaon_hot, 1_c_int64_t, 0.0_c_double))
  call kaon_heatbath_options_init(heatbath)
  heatbath%beta = 6.0_c_double
  heatbath%seed = 7
  do sweep = 1, 20
    heatbath%update = sweep
    call check(kaon_gauge_heatbath(gauge, heatbath))
  end do
  call check(kaon_gauge_plaquette(gauge, plaquette))
  print '(a, f12.8)', 'plaquette ', plaquette(1)

  call kaon_operator_options_init(physics)
  physics%action = kaon_wilson
  physics%kappa = 0.13_c_double
  call check(kaon_operator_create(gauge, physics, dirac))
  call check(kaon_solver_create(dirac, c_null_ptr, solver))

  call kaon_spinor_options_init(shape_of)
  shape_of%right_hand_sides = 12
  call check(kaon_spinor_create(lattice, shape_of, source))
  call check(kaon_spinor_create(lattice, shape_of, propagator))
  call kaon_source_options_init(point)
  call check(kaon_spinor_source(source, point))
  call check(kaon_solver_solve(solver, propagator, source, reports))
  call check(kaon_pion_correlator(propagator, c_null_ptr, int(length, c_int), correlator))
  print '(a, es9.1)', 'residual  ', maxval(reports%residual)
  do t = 1, length
    print '(i3, es19.10)', t - 1, correlator(t)
  end do

  call kaon_solver_destroy(solver)
  call kaon_operator_destroy(dirac)
  call kaon_spinor_destroy(source)
  call kaon_spinor_destroy(propagator)
  call kaon_gauge_destroy(gauge)
  call kaon_lattice_destroy(lattice)
  call check(kaon_stop())
end program
