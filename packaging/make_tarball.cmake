# Run by CPack: packs the tree that it has installed, for npm as well, and writes its bill of
# materials beside it.
set(tree ${CPACK_TEMPORARY_DIRECTORY}/${CPACK_PACKAGE_FILE_NAME})
set(place ${CPACK_PACKAGE_DIRECTORY}/${CPACK_PACKAGE_FILE_NAME})
execute_process(
  COMMAND tar --create --directory=${CPACK_TEMPORARY_DIRECTORY} --sort=name --format=gnu
    --owner=0 --group=0 --numeric-owner --mtime=@$ENV{SOURCE_DATE_EPOCH} ${CPACK_PACKAGE_FILE_NAME}
  COMMAND gzip -9n
  OUTPUT_FILE ${place}.tar.gz COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CPACK_RINGFENCE_EMULATOR} ${tree}/bin/ringfence-cli --version --json
  OUTPUT_FILE ${place}.facts.json COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND python3 ${CPACK_RINGFENCE_SOURCE}/packaging/sbom.py --facts ${place}.facts.json --tree ${tree}
    --time $ENV{SOURCE_DATE_EPOCH}
  OUTPUT_FILE ${place}.spdx.json COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${place}.facts.json)
string(TOUPPER ${CPACK_RINGFENCE_NODE_CPU} cpu)
execute_process(
  COMMAND ${CMAKE_COMMAND} -DVERSION=${CPACK_PACKAGE_VERSION} -DTREE_${cpu}=${tree}
    -DOUTPUT=${CPACK_PACKAGE_DIRECTORY}/npm -P ${CPACK_RINGFENCE_SOURCE}/packaging/make_npm.cmake
  COMMAND_ERROR_IS_FATAL ANY)
set(CPACK_EXTERNAL_BUILT_PACKAGES ${place}.tar.gz ${place}.spdx.json)
