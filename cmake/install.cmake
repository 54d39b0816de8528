# What `cmake --install` puts below the prefix: programs, man pages, the policy's schema, and
# completions that `ringfence completion` writes itself.
install(TARGETS ringfence-hook RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES docs/man/ringfence-hook.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES docs/man/ringfence-policy.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES policy/policy.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/ringfence)

install(TARGETS ringfence ringfence-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES docs/man/ringfence.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

function(install_completion shell name folder)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/completions/${shell}/${name})
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/completions/${shell})
  install(CODE "execute_process(COMMAND \"$<TARGET_FILE:ringfence>\" completion ${shell}
    OUTPUT_FILE \"${file}\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
endfunction()
install_completion(bash ringfence bash-completion/completions)
install_completion(zsh _ringfence zsh/site-functions)
install_completion(fish ringfence.fish fish/vendor_completions.d)
