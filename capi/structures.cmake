# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# cmake -D HEADER=kaon.h -D FOLDER=... -P structures.cmake
#
# Writes structures.hpp and structures.cpp: the names and the defaults of the structures of kaon.h, the members of options,
# and the names of enumerators, which count from 0. The header does not say how many numbers a member points to:
# functions of capi/ list the members of options with such.
file(READ ${HEADER} text)
string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
string(REGEX REPLACE "[ \n]+" " " text "${text}")
string(REPLACE ";" "|" text "${text}")  # semicolons separate the elements of lists
string(REGEX MATCHALL "{ size_t size\\|[^{}]*} kaon_[a-z_]+\\|" structures "${text}")
set(notice "// Written by capi/structures.cmake from kaon.h.\n")
string(CONCAT declarations "${notice}#pragma once\n#include <kaon/kaon.h>\n#include <array>\n#include <vector>\n\nnamespace kaon::capi {\n"
  "class Argument;\ntemplate <class T>\nstruct Structure;\ntemplate <class Enum>\ninline constexpr std::array<const char*, 0> names_of{};\n")
string(REGEX MATCHALL "enum KAON_ENUM {[^{}]*} kaon_[a-z_]+" enumerations "${text}")
foreach(enumeration IN LISTS enumerations)
  string(REGEX MATCH "kaon_[a-z_]+$" name "${enumeration}")
  string(REGEX MATCHALL "KAON_[A-Z0-9_]+ =" enumerators "${enumeration}")
  list(TRANSFORM enumerators REPLACE "(.*) =" "\"\\1\"")
  list(JOIN enumerators ", " enumerators)
  string(APPEND declarations
    "template <>\ninline constexpr auto names_of<${name}> = std::to_array<const char*>({${enumerators}});\n")
endforeach()
set(definitions "${notice}#include \"capi/handles.hpp\"\n\nnamespace kaon::capi {\n")
foreach(structure IN LISTS structures)
  string(REGEX MATCH "size_t size\\|(.*)} (kaon_[a-z_]+)" unused "${structure}")
  set(name ${CMAKE_MATCH_2})
  string(REPLACE "|" ";" members "${CMAKE_MATCH_1}")
  string(APPEND declarations "template <>\nstruct Structure<${name}> {\n"
    "  static constexpr const char* name = \"${name}\";\n  static constexpr auto* init = ${name}_init;\n};\n")
  if(NOT name MATCHES "_options$")
    continue()
  endif()
  string(APPEND declarations "std::vector<Argument> members(const ${name}& options);\n")
  if(members MATCHES "(int|double) *\\*")
    continue()
  endif()
  set(arguments)
  foreach(member IN LISTS members)
    if(member MATCHES "^ *(void.*)?$" OR NOT member MATCHES "^ *(const )?([a-z0-9_]+)(.*)$")
      continue()  # a context, which may differ, or the end
    endif()
    set(type ${CMAKE_MATCH_2})
    string(REPLACE "," ";" declarators "${CMAKE_MATCH_3}")
    foreach(declarator IN LISTS declarators)
      string(REGEX MATCH "([a-z0-9_]+)(\\[([0-9]+)\\])?$" unused "${declarator}")
      set(member ${CMAKE_MATCH_1})
      set(value options.${member})
      if(CMAKE_MATCH_3)
        string(APPEND value ", ${CMAKE_MATCH_3}")
      elseif(type STREQUAL "char" AND NOT member MATCHES "_file$")  # paths may differ
        set(value "std::string_view(${value} != nullptr ? ${value} : \"\")")
      endif()
      list(APPEND arguments "{\"${member}\", ${value}}")
    endforeach()
  endforeach()
  list(JOIN arguments ", " arguments)
  string(APPEND definitions "std::vector<Argument> members(const ${name}& options) { return {${arguments}}; }\n")
endforeach()
file(WRITE ${FOLDER}/structures.hpp "${declarations}}  // namespace kaon::capi\n")
file(WRITE ${FOLDER}/structures.cpp "${definitions}}  // namespace kaon::capi\n")
