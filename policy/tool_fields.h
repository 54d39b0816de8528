// The arguments of the client's tools that a decision looks at: a part of policy/tools.cc.
#pragma once

#include "policy/tools.h"

namespace ringfence::tool_fields {

using enum FieldRole;

constexpr ToolField kOther = {"/_host", kOtherHost, false};
constexpr ToolField kReadFile[] = {{"/file_path", kRead, true}, kOther};
constexpr ToolField kWriteFile[] = {{"/file_path", kWrite, true}, kOther};
constexpr ToolField kEditFile[] = {{"/file_path", kReadWrite, true}, kOther};
constexpr ToolField kEditNotebook[] = {{"/notebook_path", kReadWrite, true}};
constexpr ToolField kReadNotebook[] = {{"/notebook_path", kRead, true}};
constexpr ToolField kList[] = {{"/path", kSearchFolder, true}};
constexpr ToolField kGlob[] = {
    {"/path", kSearchFolder, false}, {"/pattern", kSearchPattern, true}, kOther};
constexpr ToolField kGrep[] = {
    {"/path", kSearchFolder, false}, {"/glob", kSearchFilter, false}, kOther};
constexpr ToolField kAgent[] = {{"/isolation", FieldRole::kIsolation, false}};
constexpr ToolField kShell[] = {{"/allowed_domains", kHosts, false}, kOther};
constexpr ToolField kMonitor[] = {{"/ws/url", kUrl, false}, {"/allowed_domains", kHosts, false}};
constexpr ToolField kStop[] = {kOther};
constexpr ToolField kFetch[] = {{"/url", kUrl, true}};
constexpr ToolField kWorktree[] = {{"/path", kWrite, false}, {"/name", kWorktreeName, false}};
constexpr ToolField kWorkflow[] = {{"/scriptPath", kRead, false}};
constexpr ToolField kResource[] = {{"/server", kMcpServer, true}, {"/uri", kResourceUri, true}};
constexpr ToolField kResources[] = {{"/server", kMcpServer, false}};
// Published under "/path" and the keys of "/files"; read from "/root" and "/files/*/from".
constexpr ToolField kArtifact[] = {{"/file_path", kRead, false},
                                   {"/file_paths", kRead, false},
                                   {"/root", kSearchFolder, false},
                                   {"/files", kAttachment, false},
                                   {"/files/*/path", kRead, false},
                                   {"/files/*/from", kRead, false},
                                   {"/writes/*/file_path", kRead, false},
                                   {"/path", kNoPath, false},
                                   {"/paths", kNoPath, false},
                                   {"/out_dir", kWrite, false},
                                   {"/url", kUrl, false},
                                   {"/from_url", kUrl, false},
                                   {"/type_url", kUrl, false}};
constexpr ToolField kArtifactPart[] = {
    {"/file_path", kRead, false}, {"/writes/*/file_path", kRead, false}, {"/url", kUrl, false}};
constexpr ToolField kDesignSync[] = {
    {"/localDir", kReadWrite, false}, {"/files/*/localPath", kReadWrite, false},
    {"/files", kNoPath, false},       {"/path", kNoPath, false},
    {"/paths", kNoPath, false},       {"/assets", kNoPath, false}};
constexpr ToolField kProjects[] = {{"/path", kRead, false}, {"/local_path", kReadWrite, false}};
constexpr ToolField kPlugin[] = {{"/path", kRead, false}, {"/question", kNoPath, false}};
constexpr ToolField kFiles[] = {{"/files", kRead, true}};
constexpr ToolField kAttachments[] = {{"/attachments", kAttachment, false}};
constexpr ToolField kMemory[] = {{"/path", kNoPath, false}};
constexpr ToolField kRunner[] = {{"/base_dir", kWrite, false},
                                 {"/log_path", kWrite, false},
                                 {"/secret_file_path", kReadWrite, false}};
constexpr ToolField kRunnerLog[] = {{"/log_path", kRead, false}};
constexpr ToolField kLanguageServer[] = {{"/filePath", kRead, true}};

}  // namespace ringfence::tool_fields
