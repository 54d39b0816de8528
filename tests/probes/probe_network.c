// Objects reached by a number or an address instead of a file: sockets, shared memory, keys.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/keyctl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "escape_probe.h"
#include "kernel_abi.h"

// --- TCP and UDP --------------------------------------------------------------------------------

static struct sockaddr_in Loopback(const char* port_key) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(FixtureNumber(port_key))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static Verdict TcpLoopback(void) {
  const struct sockaddr_in address = Loopback("tcp_port");
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (client < 0) return Stopped("socket");
  if (connect(client, (const struct sockaddr*)&address, sizeof(address)) != 0) {
    return Stopped("connect");
  }
  return Tried("connect, send", send(client, kMark, 8, MSG_NOSIGNAL));
}

static Verdict UdpLoopback(void) {
  const struct sockaddr_in address = Loopback("udp_port");
  const int client = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (client < 0) return Stopped("socket");
  return Tried("sendto",
               sendto(client, kMark, 8, 0, (const struct sockaddr*)&address, sizeof(address)));
}

// A process outside keeps trying to connect to this port.
static Verdict ListenReachable(void) {
  const struct sockaddr_in address = Loopback("listen_port");
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (server < 0) return Stopped("socket");
  const int on = 1;
  setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(server, (const struct sockaddr*)&address, sizeof(address)) != 0) return Stopped("bind");
  if (listen(server, 1) != 0) return Stopped("listen");
  struct pollfd wait = {server, POLLIN, 0};
  if (poll(&wait, 1, 1000) != 1) return StoppedAs("accept: nobody came");
  const int client = accept(server, NULL, NULL);
  if (client < 0) return Stopped("accept");
  send(client, kMark, 8, MSG_NOSIGNAL);
  return Open("bind, listen, accept");
}

// --- unix sockets -------------------------------------------------------------------------------

// With `abstract`, the name begins with NUL.
static Verdict ConnectUnix(const char* name, int abstract) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char* to = address.sun_path + abstract;
  snprintf(to, sizeof(address.sun_path) - 1, "%s", name);
  const socklen_t size =
      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + abstract + strlen(to) + !abstract);
  const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (client < 0) return Stopped("socket");
  if (connect(client, (const struct sockaddr*)&address, size) != 0) return Stopped("connect");
  return Tried("connect, send", send(client, kMark, 8, MSG_NOSIGNAL));
}

static Verdict UnixAbstract(void) { return ConnectUnix(Fixture("unix_abstract"), 1); }
static Verdict UnixPath(void) { return ConnectUnix(Fixture("unix_path"), 0); }
static Verdict UnixPathTmp(void) { return ConnectUnix(Fixture("unix_path_tmp"), 0); }
static Verdict UnixPathHome(void) { return ConnectUnix(Fixture("unix_path_home"), 0); }

// --- shared memory and keys ---------------------------------------------------------------------

static Verdict SysvShm(void) {
  const int segment = shmget((key_t)FixtureNumber("shm_key"), 0, 0);
  if (segment < 0) return Stopped("shmget");
  char* memory = shmat(segment, NULL, 0);
  if (memory == (char*)-1) return Stopped("shmat");
  memcpy(memory, kMark, 8);
  return Open("shmget, shmat");
}

static Verdict KeyringRead(void) {
  char content[100] = "";
  const long length =
      syscall(SYS_keyctl, KEYCTL_READ, FixtureNumber("key_serial"), content, sizeof(content) - 1);
  if (length < 0) return Stopped("keyctl(KEYCTL_READ)");
  if (strcmp(content, Fixture("secret")) != 0) return StoppedAs("keyctl: another key");
  return Open("keyctl(KEYCTL_READ)");
}

// --- families -----------------------------------------------------------------------------------

static Verdict HasSocket(int family, int type, int protocol) {
  return Tried("socket", socket(family, type | SOCK_CLOEXEC, protocol));
}

static Verdict SockRaw(void) { return HasSocket(AF_INET, SOCK_RAW, IPPROTO_ICMP); }
static Verdict SockPacket(void) { return HasSocket(AF_PACKET, SOCK_RAW, 0); }
static Verdict SockVsock(void) { return HasSocket(AF_VSOCK, SOCK_STREAM, 0); }
static Verdict SockAlg(void) { return HasSocket(AF_ALG, SOCK_SEQPACKET, 0); }
static Verdict SockNetlinkNf(void) { return HasSocket(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER); }

static const Row kNetwork[] = {
    {"tcp-loopback", TcpLoopback},
    {"udp-loopback", UdpLoopback},
    {"listen-reachable", ListenReachable},
    {"unix-abstract", UnixAbstract},
    {"unix-path", UnixPath},
    {"unix-path-tmp", UnixPathTmp},
    {"unix-path-home", UnixPathHome},
    {"sysv-shm", SysvShm},
    {"keyring-read", KeyringRead},
    {"sock-raw", SockRaw},
    {"sock-packet", SockPacket},
    {"sock-vsock", SockVsock},
    {"sock-alg", SockAlg},
    {"sock-netlink-nf", SockNetlinkNf},
};
const RowTable kNetworkRows = TABLE(kNetwork);
