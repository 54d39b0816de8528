#include "hook/failure.h"

#include <doctest/doctest.h>

using namespace ringfence;

namespace {

std::string Paths(std::string_view failure) {
  std::string text;
  for (const Named& named : NamesInFailure(failure)) {
    constexpr std::string_view kKinds[] = {"", "w ", "hidden ", "host "};
    text += "[" + std::string(kKinds[static_cast<size_t>(named.kind)]) + named.text + "]";
  }
  return text;
}

}  // namespace

TEST_CASE("failure: paths next to a refusal by the kernel") {
  struct Row {
    std::string_view name;
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"nothing", "", ""},
      {"another failure", "cat: /etc/x: Is a directory", ""},
      {"a refusal without a path", "Permission denied", ""},
      {"cat", "cat: /etc/shadow: Permission denied", "[/etc/shadow]"},
      {"touch", "touch: cannot touch '/etc/x y': Read-only file system", "[w /etc/x y]"},
      {"bash", "bash: line 1: /etc/x: Permission denied", "[/etc/x]"},
      {"mkdir", "mkdir: cannot create directory \xE2\x80\x98/srv/x\xE2\x80\x99: Permission denied",
       "[w /srv/x]"},
      {"python", "PermissionError: [Errno 13] Permission denied: '/etc/x'", "[/etc/x]"},
      {"node", "Error: EACCES: permission denied, open '/etc/x'", "[/etc/x]"},
      {"node, read-only", "EROFS: read-only file system, mkdir '/srv/a'", "[w /srv/a]"},
      {"the home", "cat: ~/.ssh/id_rsa: Permission denied", "[~/.ssh/id_rsa]"},
      {"operation", "chattr: Operation not permitted while reading /srv/x", "[/srv/x]"},
      {"two in a line", "mv: cannot move '/a/b' to '/c/d': Permission denied", "[w /a/b][w /c/d]"},
      {"a shell that redirects", "sh: 1: cannot create /etc/hosts: Permission denied",
       "[w /etc/hosts]"},
      {"two lines", "cat: /a: Permission denied\ncat: /b: Permission denied\n", "[/a][/b]"},
      {"once each", "cat: /a: Permission denied\ncat: /a: Permission denied", "[/a]"},
      {"the other line does not count", "see /x\ncat: /a: Permission denied", "[/a]"},
      {"a slash inside a word is no path", "a/b: Permission denied", ""},
      {"who speaks is none", "/bin/sh: 1: cannot create /etc/x: Permission denied", "[w /etc/x]"},
      {"who speaks of a relative one", "/bin/bash: line 1: a/b: Permission denied", "[a/b]"},
      {"relative", "cat: a/b: Permission denied", "[a/b]"},
      {"relative, of tar", "tar: a/b: Cannot open: Permission denied", "[a/b]"},
      {"relative, of git", "error: could not lock config file .git/config: Permission denied",
       "[w .git/config]"},
      {"relative, in quotes", "touch: cannot touch '../x': Read-only file system", "[w ../x]"},
      {"a URL is no path", "fatal: https://h/x: Permission denied", ""},
      {"another user's home is none", "cat: ~root/x: Permission denied", "[~root/x]"},
      {"hidden", "cat: /etc/x: No such file or directory", "[hidden /etc/x]"},
      {"ours", "ringfence: write to \"/a \\u202eb\\n\" refused: outside. Work below \"/p\"",
       "[w /a \xE2\x80\xAE"
       "b\n]"},
      {"ours, with a quote", "ringfence: read of \"/a\\\" b\" refused: x", "[/a\" b]"},
      {"a path that speaks of writing", "cat: /srv/writer/x: Permission denied", "[/srv/writer/x]"},
      {"ours, cut", "ringfence: write to \"/a\"... refused: x", ""},
      {"ours, a host", "ringfence: connection to \"e.example:22\" refused: x",
       "[host e.example:22]"},
      {"ours, an address", "ringfence: connection to \"[2001:db8::1]:80\" refused: x",
       "[host [2001:db8::1]:80]"},
      {"ours, no host", "ringfence: connection to \"e.example/x\" refused: x", ""},
      {"ours, of another kind", "ringfence: tool \"X\" refused: x", ""},
      {"seatbelt", "bash(12) deny(1) file-write-create /private/etc/a b", "[w /private/etc/a b]"},
      {"sandboxd", "Sandbox: cat(96730) deny(1) file-read-data /Users/u/x", "[/Users/u/x]"},
      {"seatbelt, another operation", "x(1) deny(1) mach-lookup com.apple.x", ""},
      {"seatbelt, a host", "curl(1) deny(1) network-outbound 93.184.216.34:443",
       "[host 93.184.216.34:443]"},
      {"seatbelt, a socket", "curl(1) deny(1) network-outbound /private/var/run/x", ""},
      {"rust", "error: could not open `/a/b`\n\nCaused by:\n  Permission denied (os error 13)",
       "[/a/b]"},
      {"rust, too far above", "x /a/b\n\n\n\nPermission denied (os error 13)", ""},
      {"curl", "curl: (6) Could not resolve host: evil.example", "[host evil.example]"},
      {"curl, a port", "curl: (7) Failed to connect to e.example port 8443 after 0 ms: x",
       "[host e.example:8443]"},
      {"wget",
       "wget: unable to resolve host address \xE2\x80\x98"
       "e.example\xE2\x80\x99",
       "[host e.example]"},
      {"node", "Error: getaddrinfo ENOTFOUND e.example", "[host e.example]"},
      {"node, an address", "Error: connect ENETUNREACH 1.2.3.4:443 - Local (0.0.0.0:0)",
       "[host 1.2.3.4:443]"},
      {"curl, IPv6", "curl: (7) Failed to connect to 2001:db8::1 port 443 after 0 ms: x",
       "[host [2001:db8::1]:443]"},
      {"ssh, IPv6 and a zone", "ssh: connect to host fe80::1%eth0 port 22: Network is unreachable",
       "[host [fe80::1]:22]"},
      {"node, IPv6", "Error: connect ENETUNREACH 2001:db8::1:443 - Local (:::0)",
       "[host [2001:db8::1]:443]"},
      {"node, IPv6 that ends in a letter", "Error: connect ENETUNREACH 2001:db8::1b - Local (:::0)",
       "[host [2001:db8::1b]]"},
      {"node, IPv6 without a port", "Error: connect ENETUNREACH 2001:db8::b - Local (:::0)",
       "[host [2001:db8::b]]"},
      {"python, IPv6", "HTTPSConnectionPool(host='::1', port=443): Max retries exceeded",
       "[host [::1]:443]"},
      {"a URL of IPv6", "GET https://[::1]:8443/x\nConnection blocked by network allowlist",
       "[host [::1]:8443]"},
      {"a bracket that is not closed", "GET https://[::1/x\nblocked by network allowlist", ""},
      {"an address and a port", "Error: connect ENETUNREACH 10.0.0.1:443", "[host 10.0.0.1:443]"},
      {"too long for an address",
       "curl: (6) Could not resolve host: 1:2:3:4:5:6:7:8:9:a:b:c:d:e:f:0:1:2:3:4:5:6:7:8:9:a:b",
       "[host 1:2]"},
      {"go", "dial tcp: lookup e.example on 1.1.1.1:53: no such host", "[host e.example]"},
      {"ssh", "ssh: connect to host e.example port 22: Network is unreachable",
       "[host e.example:22]"},
      {"python", "HTTPSConnectionPool(host='e.example', port=443): Max retries exceeded",
       "[host e.example:443]"},
      {"git",
       "fatal: unable to access 'https://u@e.example/x/': CONNECT tunnel failed, response 403",
       "[host e.example]"},
      {"the client's proxy",
       "GET https://e.example:8443/x\nConnection blocked by network allowlist",
       "[host e.example:8443]"},
      {"a host without a name", "Connection blocked by network allowlist", ""},
      {"no host", "curl: (6) Could not resolve host: ;rm", ""},
      {"ours, without a quote", "ringfence: read of /a refused: x", ""},
      {"ours, torn", "ringfence: read of \"/a", ""},
      {"ours, torn at an escape", "ringfence: read of \"/a\\", ""},
      {"ours, no JSON string", "ringfence: read of \"/a\\q\" refused: x", ""},
      {"seatbelt, torn", "x(1) deny(1", ""},
      {"rust, which writes", "error: failed to write `/a/b`\n  Permission denied (os error 13)",
       "[w /a/b]"},
      {"rust, read-only", "error: `/a/b`\n  Read-only file system (os error 30)", "[w /a/b]"},
      {"rust, nothing above", "Permission denied (os error 13)", ""},
      {"a host in capitals", "curl: (6) Could not resolve host: A-z_Z.Example.",
       "[host A-z_Z.Example]"},
      {"a host that ends in another character", "curl: (6) Could not resolve host: e.example{x",
       "[host e.example]"},
      {"a port that is none", "ssh: connect to host e.example port x: Network is unreachable",
       "[host e.example]"},
      {"a port that is too long",
       "ssh: connect to host e.example port 123456: Network is unreachable", "[host e.example]"},
      {"double quotes", "x: \"/a b\": Permission denied", "[/a b]"},
      {"relative, in curly quotes",
       "mkdir: cannot create directory \xE2\x80\x98sub/x\xE2\x80\x99: Permission denied",
       "[w sub/x]"},
      {"relative, in double quotes", "x: cannot open \"sub/x\": Permission denied", "[sub/x]"},
      {"a quote that is not closed", "x: cannot open \"sub/x: Permission denied", "[\"sub/x]"},
      {"nothing in quotes", "x: cannot open '' 'sub/x': Permission denied", "[sub/x]"},
      {"a URL in quotes", "x: cannot open 'ftp://h/x': Permission denied", ""},
      {"a colon before a path", "x:/a: Permission denied", "[/a]"},
      {"who speaks, and no more", "/bin/x Permission denied", "[/bin/x]"},
      {"backticks", "x: `/a b`: Permission denied", "[/a b]"},
      {"at the front of a line", "/a/b: Permission denied", "[/a/b]"},
      {"at the end of a line", "Permission denied: /", ""},
      {"five in a line", "Permission denied: /a /b /c /d /e", "[/a][/b][/c][/d]"},
      {"a slash alone is none", "ls: / : Permission denied", ""},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Paths(row.text) == row.want);
  }
}

TEST_CASE("failure: at most four paths, and no text makes it slow") {
  std::string many;
  for (int i = 0; i < 50; ++i) many += "cat: /a" + std::to_string(i) + ": Permission denied\n";
  CHECK(NamesInFailure(many).size() == 4);
  CHECK(Paths("x: cannot open '" + std::string(5000, 'a') + "': Permission denied").empty());
  CHECK(Paths("curl: (6) Could not resolve host: " + std::string(300, 'a')).empty());
  CHECK(NamesInFailure("Permission denied " + std::string(16000, '/')).size() <= 4);
  CHECK(NamesInFailure("Permission denied " + std::string(16000, '~')).size() <= 4);
}
