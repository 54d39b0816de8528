# The tests of plans and of what a Linux back end is made of.
list(APPEND unit_test_sources
  plan_world.cc
  environment_test.cc git_config_test.cc git_state_test.cc git_targets_test.cc guarded_names_lists_test.cc guarded_names_test.cc guarded_names_tree_test.cc
  landlock_rights_test.cc names_text_test.cc
  plan_caches_test.cc plan_command_test.cc plan_hidden_test.cc plan_host_test.cc plan_modes_test.cc plan_mounts_test.cc plan_names_test.cc
  plan_readable_test.cc plan_session_test.cc plan_systems_test.cc plan_test.cc render_test.cc run_options_test.cc
)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  list(APPEND unit_test_sources
    seccomp_emulator.cc system_call_numbers.cc
    cgroup_test.cc channel_test.cc remove_tree_test.cc seccomp_arguments_test.cc seccomp_filter_test.cc)
endif()
