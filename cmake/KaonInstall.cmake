# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# The install target and the package that find_package(kaon) reads.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/kaon)

install(TARGETS kaon ${KAON_LAYERS} EXPORT kaonTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT kaonTargets NAMESPACE kaon:: DESTINATION ${package_folder})
if(NOT KAON_MPI)
  set(without_mpi PATTERN comm/mpi.hpp EXCLUDE)
endif()
install(DIRECTORY include/kaon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN *.hpp ${without_mpi})

# The C interface, for CMake (kaon::c) and for pkg-config (kaon).
if(KAON_C_API)
  set_target_properties(kaon_c PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)  # to Kokkos, if that is not the system's
  install(TARGETS kaon_c EXPORT kaonTargets)
  install(FILES include/kaon/kaon.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kaon)
  file(RELATIVE_PATH KAON_PREFIX_FROM_PKGCONFIG /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  configure_file(cmake/kaon.pc.in ${PROJECT_BINARY_DIR}/kaon.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/kaon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# The Python package, which finds libkaon in the same prefix.
if(TARGET kaon_python AND TARGET kaon_c)
  set(python_folder ${KAON_PYTHON_INSTALL_DIR})
  if(NOT python_folder)
    set(python_folder lib/python3/dist-packages)
  endif()
  install(DIRECTORY ${PROJECT_BINARY_DIR}/python/kaon DESTINATION ${python_folder} FILES_MATCHING PATTERN *.py PATTERN py.typed)
  # Wheels have the library and the declarations of its functions within the package (pyproject.toml).
  set(KAON_PYTHON_LIBRARY_DIR "" CACHE STRING "Folder for a copy of libkaon.so in component python; empty: none")
  mark_as_advanced(KAON_PYTHON_LIBRARY_DIR)
  if(KAON_PYTHON_LIBRARY_DIR)
    install(FILES $<TARGET_FILE:kaon_c> DESTINATION ${KAON_PYTHON_LIBRARY_DIR} RENAME libkaon.so COMPONENT python)
    install(FILES ${PROJECT_BINARY_DIR}/python/kaon/declarations.py DESTINATION ${KAON_PYTHON_LIBRARY_DIR} COMPONENT python)
  endif()
endif()

configure_package_config_file(cmake/kaonConfig.cmake.in ${PROJECT_BINARY_DIR}/kaonConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kaonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kaonConfig.cmake ${PROJECT_BINARY_DIR}/kaonConfigVersion.cmake
  DESTINATION ${package_folder})
install(FILES cmake/Findlibdeflate.cmake DESTINATION ${package_folder})
if(KAON_HAS_NCCL)
  install(FILES cmake/FindNCCL.cmake DESTINATION ${package_folder})
endif()
