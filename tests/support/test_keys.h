// Keys that no real policy has, one for each type. They are defined only here, and tests check that
// they appear wherever the table's keys must: in the loader, the layers, the schema and the
// document.
#pragma once

#include <span>

#include "policy/load/key_rows.h"

namespace ringfence {

namespace keys {

// Their values are stored in the fields of other keys, which these tests leave alone.
inline constexpr DocumentedKey kTestKeys[] = {
    {{"stage.commands.test_switch", kSwitch, Into<&Policy::stage, &StageRules::auto_apply>, kLimit},
     {"`false`", "a [switch](#stage) of the tests"}},
    {{"sandbox.test_choice", OneOf(kLayerWords), Into<&Policy::sandbox, &SandboxRules::layers>,
      kLimit},
     {"`\"full\"`", "`\"full\"` or `\"landlock\"`, for tests"}},
    {{"sandbox.test_number", Whole(3, 19), Into<&Policy::sandbox, &SandboxRules::processes>,
      kLimit},
     {"no limit", "a number of the tests, 3 to 19"}},
    {{"sandbox.test_size", SizeFrom("1500K"), Into<&Policy::sandbox, &SandboxRules::io>, kLimit},
     {"no limit", "a size of the tests, 1500K at least"}},
    {{"stage.test_texts", kTexts, Into<&Policy::stage, &StageRules::verify>, kLimit},
     {"none", "texts of the tests"}},
    {{"network.test_paths", ListOf(TextForm::kOwnPath), Into<&Policy::package_stores>, kLimit},
     {"none", "paths of the tests"}},
    {{"test_text", kOwnPath, Into<&Policy::say>, OfTrusted(KeyRule::kReplace)},
     {"none", "a path of the tests"}},
};

}  // namespace keys

// All rows of the policy's table, plus these.
std::span<const DocumentedKey> DocumentedKeysAndTestKeys();
std::span<const KeyRow> KeysAndTestKeys();

}  // namespace ringfence
