# The tests of decisions and of what the hook says about them.
list(APPEND unit_test_sources
  world.cc random_policy.cc
  alert_rate_test.cc alert_request_test.cc alert_test.cc denials_test.cc answer_test.cc
  audit_log_test.cc audit_log_writers_test.cc
  system_log_test.cc config_change_test.cc event_reader_test.cc inside_log_test.cc
  failure_test.cc options_test.cc serve_test.cc wrap_test.cc
  session_text_test.cc tighten_property_test.cc kernel_property_test.cc decision_fixtures_test.cc
  decide_paths_test.cc decide_links_test.cc decide_mounts_test.cc mount_table_test.cc decide_rules_test.cc decide_secrets_test.cc
  fix_test.cc
  decide_later_test.cc protected_test.cc decide_search_test.cc
  decide_macos_test.cc decide_mcp_test.cc decide_network_test.cc decide_flags_test.cc decide_tools_test.cc
  decide_arguments_test.cc folder_walk_test.cc
  judge_mcp_test.cc judge_path_test.cc judge_tool_test.cc layers_profiles_test.cc layers_test.cc
  places_test.cc search_pattern_test.cc client_folders_test.cc everyday_paths_test.cc
  policy_places_property_test.cc
  address_test.cc first_names_test.cc host_or_file_test.cc mcp_calls_test.cc mcp_name_test.cc mcp_value_test.cc
  sets_candidates_test.cc sets_test.cc sources_test.cc text_kind_test.cc tighten_test.cc tools_test.cc
  trust_test.cc value_sieve_test.cc
)
