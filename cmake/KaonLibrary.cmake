# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT

include(GNUInstallDirs)

# kaon_add_library(<layer> SOURCES <file>... [BATCH_SIZE <files>] [ALONE <file>...]
#                  [PUBLIC <target>...] [PRIVATE <target>...] [PRIVATE_HEADERS <target>...])
#
# Makes the library kaon::<layer> of SOURCES, which compile in batches of <files>, eight by default, and of large files,
# which compile ALONE and first. PUBLIC and PRIVATE are what it links: other layers above all. PRIVATE_HEADERS are
# libraries of headers that its .cpp files alone include: users of an installed kaon do not need them.
function(kaon_add_library layer)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "BATCH_SIZE" "SOURCES;ALONE;PUBLIC;PRIVATE;PRIVATE_HEADERS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kaon_add_library(${layer}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(target kaon_${layer})
  if(NOT arg_ALONE AND NOT arg_SOURCES)  # a part that was left out
    add_library(${target} INTERFACE)
    add_library(kaon::${layer} ALIAS ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${layer})
    target_link_libraries(${target} INTERFACE ${arg_PUBLIC})
    return()
  endif()
  add_library(${target} ${arg_ALONE} ${arg_SOURCES})
  add_library(kaon::${layer} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${layer} POSITION_INDEPENDENT_CODE ON)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE $<BUILD_INTERFACE:kaon_options> ${arg_PRIVATE})
  if(NOT arg_BATCH_SIZE)
    set(arg_BATCH_SIZE 8)
  endif()
  kaon_compile_in_batches(${target} ${arg_BATCH_SIZE} ${arg_ALONE})
  foreach(headers IN LISTS arg_PRIVATE_HEADERS)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${headers}>)
  endforeach()
  if(layer STREQUAL "core")
    kaon_precompile_headers(${target} PRIVATE ${KAON_LIBRARY_HEADERS})
  else()
    kaon_precompile_headers(${target} REUSE_FROM kaon_core)
  endif()
endfunction()

# kaon_add_instances(<result> <namespace> <header> <macro> <precision>...): appends a file for each precision to <result>,
# with the functions of <header> that <macro> instantiates.
function(kaon_add_instances result namespace header macro)
  get_filename_component(name ${header} NAME_WE)
  foreach(precision IN LISTS ARGN)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${name}_${precision}.cpp)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/instance.cpp.in ${file} @ONLY)
    list(APPEND ${result} ${file})
  endforeach()
  set(${result} ${${result}} PARENT_SCOPE)
endfunction()

# kaon_use_hdf5(<target>): compiles the part of a library that needs HDF5, if it is wanted and found. Targets with the
# property KAON_STATIC_HDF5 link the static one.
function(kaon_use_hdf5 target)
  if(KAON_HDF5 AND HDF5_FOUND)
    target_compile_definitions(${target} PRIVATE KAON_HAS_HDF5)
    target_include_directories(${target} SYSTEM PRIVATE ${HDF5_C_INCLUDE_DIRS})
    set(is_static "$<BOOL:$<TARGET_PROPERTY:KAON_STATIC_HDF5>>")
    target_link_libraries(${target} PRIVATE "$<${is_static}:${KAON_STATIC_HDF5}>$<$<NOT:${is_static}>:${HDF5_C_LIBRARIES}>")
  endif()
endfunction()
