#include "cli/host_or_file.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "policy/domain.h"

namespace ringfence {
namespace {

// Endings of file names, whether or not they are domains as well ("md", "rs", "sh", "zip").
constexpr std::string_view kFileEndings[] = {
    "7z",       "a",       "adoc", "asm",    "avi",    "awk",        "bak",        "bas",
    "bash",     "bat",     "bib",  "bin",    "blend",  "bmp",        "bz2",        "c",
    "cabal",    "cc",      "cfg",  "cjs",    "class",  "clj",        "cljs",       "cmake",
    "cmd",      "cnf",     "cpp",  "crt",    "cs",     "cshtml",     "csproj",     "css",
    "csv",      "cts",     "cu",   "cxx",    "d",      "dart",       "dat",        "db",
    "deb",      "desktop", "diff", "dll",    "dmg",    "doc",        "dockerfile", "docx",
    "dtd",      "dylib",   "ejs",  "el",     "elm",    "env",        "eps",        "erl",
    "ex",       "exe",     "exs",  "f",      "f90",    "fish",       "flac",       "fs",
    "fsx",      "gif",     "go",   "gql",    "gradle", "graphql",    "groovy",     "gz",
    "h",        "haml",    "hbs",  "hcl",    "hh",     "hpp",        "hrl",        "hs",
    "htm",      "html",    "hxx",  "ico",    "img",    "ini",        "ipynb",      "iso",
    "jar",      "java",    "jl",   "jpeg",   "jpg",    "js",         "json",       "json5",
    "jsonc",    "jsonl",   "jsx",  "key",    "kt",     "kts",        "l",          "less",
    "lisp",     "lock",    "log",  "lua",    "m",      "m4",         "makefile",   "map",
    "markdown", "md",      "mdx",  "mjs",    "mk",     "ml",         "mli",        "mm",
    "mod",      "mov",     "mp3",  "mp4",    "mts",    "nim",        "nix",        "o",
    "obj",      "odt",     "ogg",  "old",    "orig",   "out",        "pas",        "patch",
    "pdf",      "pem",     "php",  "pkg",    "pl",     "plist",      "png",        "po",
    "pom",      "ppt",     "pptx", "prisma", "pro",    "properties", "proto",      "ps",
    "ps1",      "psd",     "pub",  "py",     "pyc",    "pyi",        "pyx",        "r",
    "rar",      "rb",      "rej",  "resx",   "rlib",   "rmd",        "rpm",        "rs",
    "rst",      "s",       "sass", "sbt",    "scala",  "scm",        "scss",       "sh",
    "sln",      "so",      "sol",  "sql",    "sqlite", "sqlite3",    "st",         "sum",
    "sv",       "svelte",  "svg",  "swift",  "swp",    "sys",        "t",          "tar",
    "tcl",      "temp",    "tex",  "tf",     "tfvars", "tgz",        "thrift",     "tif",
    "tiff",     "tmp",     "toml", "ts",     "tsv",    "tsx",        "ttf",        "txt",
    "v",        "vb",      "vhd",  "vhdl",   "vim",    "vue",        "war",        "wasm",
    "wat",      "wav",     "webm", "webp",   "whl",    "woff",       "woff2",      "xls",
    "xlsx",     "xml",     "xsd",  "xsl",    "xz",     "y",          "yaml",       "yml",
    "zig",      "zip",     "zsh",  "zst"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

NameKind KindOfName(std::string_view name) {
  const std::string lower = LowerAscii(name);
  const Result<HostRule> rule = ParseHostRule(lower);
  if (!rule) return NameKind::kNeither;
  const std::string_view host = rule->host;
  // Only a host has these.
  if (rule->any || rule->subdomains || rule->port != 0 || host.starts_with('[')) {
    return NameKind::kHost;
  }
  if (host == "localhost") return NameKind::kHost;
  const size_t dot = host.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return NameKind::kNeither;
  const std::string_view last = host.substr(dot + 1);
  if (!last.empty() && IsDigit(last[0])) return NameKind::kHost;  // an IPv4 address
  const bool is_ending = last.size() < 2 || std::ranges::binary_search(kFileEndings, last);
  const bool is_unusual = host.find('_') != std::string_view::npos || name != lower;
  return is_ending || is_unusual ? NameKind::kHostOrFile : NameKind::kHost;
}

}  // namespace ringfence
