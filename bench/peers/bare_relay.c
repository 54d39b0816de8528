// The least that an HTTP proxy does, for bench/proxy.py: how fast can any be here? One thread, no
// rules, no log, no checks. Only the first request of a connection is rewritten.
//
//   bare_relay PORT
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kPiece = 64 * 1024, kPipe = 1024 * 1024, kEvents = 64 };

struct End {
  int socket;
  int has_ended;
  struct End* other;  // NULL before the request
};

static char piece[kPiece];
static int events, splice_pipe[2];

static void Check(int ok, const char* what) {
  if (ok) return;
  perror(what);
  exit(1);
}

static struct End* Watch(int socket, struct End* other) {
  struct End* end = calloc(1, sizeof *end);
  const int on = 1;
  *end = (struct End){.socket = socket, .other = other};
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = end};
  Check(epoll_ctl(events, EPOLL_CTL_ADD, socket, &event) == 0, "epoll_ctl");
  return end;
}

static int Dial(char* host, const char* port) {
  const struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
  struct addrinfo* found = NULL;
  if (getaddrinfo(host, port, &wanted, &found) != 0) return -1;
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int failed = connect(made, found->ai_addr, found->ai_addrlen);
  fcntl(made, F_SETFL, O_NONBLOCK);
  freeaddrinfo(found);
  if (failed == 0) return made;
  close(made);
  return -1;
}

// Other connections wait as well: in this benchmark, whoever has much to read reads it.
static int AwaitRoom(int socket) {
  struct pollfd state = {.fd = socket, .events = POLLOUT};
  return errno == EAGAIN && poll(&state, 1, -1) == 1;
}

static int WriteAll(int to, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t sent = send(to, bytes, size, MSG_NOSIGNAL);
    if (sent < 0 && AwaitRoom(to)) continue;
    if (sent <= 0) return 0;
    bytes += sent;
    size -= (size_t)sent;
  }
  return 1;
}

static void Finish(struct End* end) {
  close(end->socket);
  if (end->other != NULL) close(end->other->socket);
  end->socket = -1;
  if (end->other != NULL) end->other->socket = -1;
}

// Rewrites "http://HOST/PATH" to "/PATH".
static size_t RemoveAuthority(char* head, size_t size) {
  char* from = strstr(head, "http://");
  char* to = from == NULL ? NULL : strchr(from + strlen("http://"), '/');
  if (to == NULL) return size;
  memmove(from, to, size - (size_t)(to - head));
  return size - (size_t)(to - from);
}

// The first bytes of a client are a whole head: this is a benchmark.
static void Begin(struct End* client) {
  const ssize_t got = recv(client->socket, piece, kPiece - 1, MSG_DONTWAIT);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) return Finish(client);
  piece[got] = '\0';
  char method[16], host[256], port[8] = "80";
  const int is_tunnel = strncmp(piece, "CONNECT ", 8) == 0;
  const char* format = is_tunnel ? "%15s %255[^:/]:%7[0-9]" : "%15s http://%255[^:/ ]:%7[0-9]";
  const int fields = sscanf(piece, format, method, host, port);
  const int socket = fields >= 2 ? Dial(host, port) : -1;
  if (socket < 0) return Finish(client);
  client->other = Watch(socket, client);
  const char* answer = "HTTP/1.1 200 OK\r\n\r\n";
  const int ok = is_tunnel ? WriteAll(client->socket, answer, strlen(answer))
                           : WriteAll(socket, piece, RemoveAuthority(piece, (size_t)got));
  if (!ok) Finish(client);
}

// As much as the pipe takes. Returns 0 if nothing is there.
static int PassMuch(struct End* end) {
  ssize_t left = splice(end->socket, NULL, splice_pipe[1], NULL, kPipe, SPLICE_F_NONBLOCK);
  if (left <= 0) return 0;
  while (left > 0) {
    const int to = end->other->socket;
    const ssize_t sent = splice(splice_pipe[0], NULL, to, NULL, (size_t)left, 0);
    if (sent < 0 && AwaitRoom(to)) continue;
    Check(sent > 0, "splice");
    left -= sent;
  }
  return 1;
}

static void Pass(struct End* end) {
  for (;;) {
    const ssize_t got = recv(end->socket, piece, kPiece, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return;
    if (got < 0 || (got > 0 && !WriteAll(end->other->socket, piece, (size_t)got))) {
      return Finish(end);
    }
    if (got == 0) {
      end->has_ended = 1;
      shutdown(end->other->socket, SHUT_WR);
      if (end->other->has_ended) Finish(end);
      return;
    }
    if (got < kPiece) continue;
    while (PassMuch(end)) {
    }
  }
}

int main(int count, char** words) {
  Check(count == 2, "usage: bare_relay PORT");
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[1])),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  Check(bind(listener, (struct sockaddr*)&own, sizeof own) == 0, "bind");
  Check(listen(listener, 1024) == 0, "listen");
  Check(pipe(splice_pipe) == 0 && fcntl(splice_pipe[1], F_SETPIPE_SZ, kPipe) > 0, "pipe");
  events = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN};
  Check(epoll_ctl(events, EPOLL_CTL_ADD, listener, &event) == 0, "epoll_ctl");
  for (;;) {
    struct epoll_event ready[kEvents];
    const int many = epoll_wait(events, ready, kEvents, -1);
    for (int i = 0; i < many; ++i) {
      struct End* end = ready[i].data.ptr;
      if (end == NULL) {
        Watch(accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), NULL);
      } else if (end->socket >= 0) {
        if (end->other == NULL) Begin(end);
        // What came while Begin() connected has no event of its own.
        if (end->socket >= 0 && end->other != NULL) Pass(end);
      }
    }
  }
}
