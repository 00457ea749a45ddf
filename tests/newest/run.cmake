# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# cmake -D SOURCE=... -D FOLDER=... -D CTEST=... -D GENERATOR=... -D OPTIONS=... -P run.cmake
#
# Unpacks the newest packages of Debian's suites, and configures, builds and tests the project of this folder with them.
# OPTIONS are separated by "|".

execute_process(
  COMMAND ${SOURCE}/tests/newest/unpack-packages ${FOLDER}/packages libcli11-dev libfmt-dev libpugixml-dev
    nlohmann-json3-dev libmpich-dev libmpich12 mpich libhwloc15 libucc1 libucx0 libze1
  OUTPUT_VARIABLE output ECHO_OUTPUT_VARIABLE COMMAND_ERROR_IS_FATAL ANY)
if(output MATCHES "skipped: ")
  return()
endif()
string(REPLACE "|" ";" options "${OPTIONS}")
execute_process(
  COMMAND ${CTEST} --build-and-test ${SOURCE}/tests/newest ${FOLDER}/build --build-generator ${GENERATOR} --build-noclean
    --build-options ${options} -DKAON_SOURCE_DIR=${SOURCE} -DNEWEST=${FOLDER}/packages/usr
    --test-command ${CTEST} --output-on-failure --no-tests=error --parallel 2
  COMMAND_ERROR_IS_FATAL ANY)
