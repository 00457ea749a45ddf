# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# kaon_options: how everything inside this repository is compiled (never inherited by what links kaon).

add_library(kaon_options INTERFACE)
target_include_directories(kaon_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_features(kaon_options INTERFACE cxx_std_20)
target_compile_options(kaon_options INTERFACE
  -Wall -Wextra
  -ffp-contract=fast  # a x + y rounds once, as on the GPU
  -fno-math-errno     # lets sqrt be one instruction
)
if(KAON_WARNINGS_AS_ERRORS)
  target_compile_options(kaon_options INTERFACE -Werror)
endif()
if(KAON_NATIVE_ARCH)
  target_compile_options(kaon_options INTERFACE -march=native)
endif()
if(KAON_SANITIZE)
  list(JOIN KAON_SANITIZE "," sanitizers)
  target_compile_options(kaon_options INTERFACE
    -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(kaon_options INTERFACE -fsanitize=${sanitizers})
endif()

if(KAON_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(KAON_CCACHE_PROGRAM ccache)
  mark_as_advanced(KAON_CCACHE_PROGRAM)
  if(KAON_CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${KAON_CCACHE_PROGRAM})
  endif()
endif()
