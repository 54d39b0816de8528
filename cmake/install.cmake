# Files that `cmake --install` puts below the prefix: programs, man pages, documents, the policy's
# schema, and the files that ringfence generates: completions, and a manual page for each command.
install(TARGETS ringfence-hook RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES docs/man/ringfence-hook.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES docs/man/ringfence-policy.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES policy/policy.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/ringfence)
install(PROGRAMS packaging/apparmor.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/ringfence)

# The plugin for Claude Code, in a marketplace of its own. Its hook finds the program by its place
# relative to this directory.
set(plugin claude-plugin/ringfence/.claude-plugin)
configure_file(packaging/${plugin}/plugin.json.in plugin.json @ONLY)
install(DIRECTORY packaging/claude-plugin DESTINATION ${CMAKE_INSTALL_DATADIR}/ringfence
  PATTERN "*.in" EXCLUDE)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/plugin.json
  DESTINATION ${CMAKE_INSTALL_DATADIR}/ringfence/${plugin})

install(FILES LICENSE README.md CHANGELOG.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_BINARY_DIR}/third-party.txt DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md"
  PATTERN man EXCLUDE)

install(TARGETS ringfence ringfence-cli ringfence-stage RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET ringfence-proxy)
  install(TARGETS ringfence-proxy RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES docs/man/ringfence.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# ringfence-cli writes these; ringfence would start it, which qemu-user cannot do.
set(writer "\"$<TARGET_FILE:ringfence-cli>\"")
if(CMAKE_CROSSCOMPILING_EMULATOR)
  set(writer "\"${CMAKE_CROSSCOMPILING_EMULATOR}\" ${writer}")
endif()

function(install_completion shell name folder)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/completions/${shell}/${name})
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/completions/${shell})
  install(CODE "execute_process(COMMAND ${writer} completion ${shell}
    OUTPUT_FILE \"${file}\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
endfunction()
install_completion(bash ringfence bash-completion/completions)
install_completion(zsh _ringfence zsh/site-functions)
install_completion(fish ringfence.fish fish/vendor_completions.d)

# One page per command, for the commands that --help lists.
install(CODE "
  execute_process(COMMAND ${writer} completion fish OUTPUT_VARIABLE script
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL \"__fish_use_subcommand -f -a [a-z]+\" commands \"\${script}\")
  foreach(command IN LISTS commands)
    string(REGEX REPLACE \".* \" \"\" command \"\${command}\")
    set(page \"${CMAKE_CURRENT_BINARY_DIR}/man/ringfence-\${command}.1\")
    file(MAKE_DIRECTORY \"${CMAKE_CURRENT_BINARY_DIR}/man\")
    execute_process(COMMAND ${writer} manual --roff \${command} OUTPUT_FILE \"\${page}\"
      COMMAND_ERROR_IS_FATAL ANY)
    file(INSTALL \"\${page}\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\")
  endforeach()")

# The last step: lists what the steps above and those of the subdirectories have installed.
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/installed_files.cmake)
