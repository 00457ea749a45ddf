# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT

# kaon_find_quda_headers(<folder> <links>)
#
# Checks that `folder` holds a quda.h that kaon can serve, and fills the folder `links` with links to it and its like.
# If there are none, a quda_define.h, which QUDA's own build writes, is written there, and empty headers that Chroma
# includes. Sets KAON_QUDA_HEADER_FILES.
function(kaon_find_quda_headers folder links)
  if(NOT EXISTS "${folder}/quda.h")
    message(FATAL_ERROR "KAON_QUDA_HEADERS=${folder}: there is no quda.h in this folder")
  endif()
  file(READ "${folder}/quda.h" text)
  foreach(wanted IN ITEMS "newQudaGaugeSmearParam" "invertMultiSrcQuda\\([^,]*,[^,]*,[^,]*\\)")
    if(NOT text MATCHES "${wanted}")
      message(FATAL_ERROR "KAON_QUDA_HEADERS=${folder}: this quda.h is too old: kaon needs one of September 2024 or "
        "later, from QUDA's branch develop")
    endif()
  endforeach()
  file(MAKE_DIRECTORY ${links})
  file(GLOB old "${links}/*")
  foreach(link IN LISTS old)
    get_filename_component(name ${link} NAME)
    if(IS_SYMLINK ${link} AND NOT EXISTS "${folder}/${name}")
      file(REMOVE ${link})  # of another folder, before
    endif()
  endforeach()
  file(GLOB headers "${folder}/*.h" "${folder}/*.hpp")
  foreach(header IN LISTS headers)
    get_filename_component(name ${header} NAME)
    file(CREATE_LINK ${header} ${links}/${name} SYMBOLIC)
  endforeach()
  foreach(name IN ITEMS quda_define.h quda_api.h device.h)
    if(NOT EXISTS "${folder}/${name}")
      set(text "#pragma once\n")
      if(name STREQUAL "quda_define.h")
        string(APPEND text "#define QUDA_TARGET_CUDA\n")  # clients test it: one of the targets must be defined
      endif()
      file(WRITE ${links}/${name}.new "${text}")
      file(COPY_FILE ${links}/${name}.new ${links}/${name} ONLY_IF_DIFFERENT)
      file(REMOVE ${links}/${name}.new)
    endif()
  endforeach()
  set(files "${folder}/quda.h")
  if(EXISTS "${folder}/quda_milc_interface.h")
    list(APPEND files "${folder}/quda_milc_interface.h")
  endif()
  set(KAON_QUDA_HEADER_FILES ${files} PARENT_SCOPE)
endfunction()

# kaon_write_quda_exports(<folder>)
#
# Writes, for each function that KAON_QUDA_HEADER_FILES declare, a weak definition that ends the program with a message,
# unsupported.cpp, which kaon's own definitions win over; and quda.map, by which these names alone leave the library.
function(kaon_write_quda_exports folder)
  set(names)
  foreach(file IN LISTS KAON_QUDA_HEADER_FILES)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(REGEX REPLACE "[];[]" " " text "${text}")
    string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" " " text "${text}")
    string(REGEX REPLACE "//[^\n]*" " " text "${text}")
    string(REGEX REPLACE "#[^\n]*" " " text "${text}")
    string(REGEX MATCHALL "[A-Za-z_][A-Za-z0-9_]*[ \n]*\\(" found "${text}")
    foreach(name IN LISTS found)
      string(REGEX REPLACE "[ \n]*\\($" "" name "${name}")
      list(APPEND names ${name})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES names)
  list(REMOVE_ITEM names int)  # of pointers to functions
  list(SORT names)
  list(LENGTH names count)
  if(count LESS 80)
    message(FATAL_ERROR "Only ${count} functions were found in ${KAON_QUDA_HEADER_FILES}: their text is not understood")
  endif()

  set(source "// Written by CMake from the names of functions in the user's headers.\n")
  string(APPEND source "namespace kaon::quda {\n[[noreturn]] void unsupported(const char* function);\n}\n")
  set(exported "")
  foreach(name IN LISTS names)
    string(APPEND source
      "extern \"C\" __attribute__((weak, visibility(\"default\"))) void ${name}() {"
      " kaon::quda::unsupported(\"${name}\"); }\n")
    string(APPEND exported "    ${name};\n")
  endforeach()
  # Functions that PyQUDA's allocator calls.
  foreach(name IN ITEMS _ZN4quda4pool14device_malloc_EPKcS2_im _ZN4quda4pool12device_free_EPKcS2_iPv)
    string(APPEND exported "    ${name};\n")
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/unsupported.cpp CONTENT "${source}" @ONLY)
  file(CONFIGURE OUTPUT ${folder}/quda.map CONTENT "{\n  global:\n${exported}  local:\n    *;\n};\n" @ONLY)
endfunction()
