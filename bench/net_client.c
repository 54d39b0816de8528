// The client of bench/proxy.py: measures connections to one host.
//
//   net_client HOST        "-" for none
//
// Reads commands, one per line, and answers each with one line of numbers, in microseconds:
//
// tunnel VIA PORT KIND COUNT: each new connection, to its first byte or after its handshake.
//
// requests VIA PORT KIND COUNT STREAMS: all of them together, on so many connections at once; then
// each one.
//
// bulk VIA PORT KIND WAY SIZE: one transfer.
//
// lookup COUNT: each lookup of HOST.
//
// loopback COUNT: each connect() to a listener of its own.
//
// idle VIA PORT COUNT: 0, once COUNT connections are open; they stay open until the next command,
// which may be `close`.
//
// COUNT is a maximum: a measurement ends early after half a second.
//
// VIA: direct, or connect:PORT, socks:PORT or http:PORT for a proxy at 127.0.0.1. KIND: plain, tls,
// or http for bulk over HTTP. WAY: D (down) or U (up).
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "net_stream.h"

enum { kMaxStreams = 64, kMaxIdle = 4096 };

static const double kMaxTime = 500000;  // microseconds

// What a command says.
struct Order {
  char name[16], via[32], kind[8], way[8];
  int port;
  size_t count;
  int streams;
};

static const char* host;
static struct in_addr host_address;
static SSL_CTX* tls_context;
static int idle[kMaxIdle];
static size_t idle_count;

static double Now(void) {
  struct timespec time;
  Check(clock_gettime(CLOCK_MONOTONIC, &time) == 0, "clock_gettime");
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static struct in_addr LookUp(void) {
  const struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
  struct addrinfo* found = NULL;
  const int code = getaddrinfo(host, NULL, &hints, &found);
  if (code != 0) fprintf(stderr, "%s: %s\n", host, gai_strerror(code));
  if (code != 0) exit(1);
  const struct in_addr address = ((const struct sockaddr_in*)(void*)found->ai_addr)->sin_addr;
  freeaddrinfo(found);
  return address;
}

static int Connect(struct in_addr address, int port) {
  const struct sockaddr_in place = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = address};
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  Check(made >= 0, "socket");
  SendAtOnce(made);
  Check(connect(made, (const struct sockaddr*)&place, sizeof place) == 0, "connect");
  return made;
}

static void AskConnect(const struct Stream* stream, int port) {
  char text[kHeadSize];
  snprintf(text, sizeof text, "CONNECT %s:%d HTTP/1.1\r\nHost: %s:%d\r\n\r\n", host, port, host,
           port);
  Check(WriteText(stream, text), "CONNECT");
  const char* rest = ReadUntil(stream, text, "\r\n\r\n");
  Check(rest != NULL && *rest == '\0' && strncmp(text + 8, " 200", 4) == 0, "CONNECT's answer");
}

// RFC 1928, without a password.
static void AskSocks(const struct Stream* stream, int port) {
  char bytes[300];
  Check(WriteAll(stream, "\5\1", 3) && Drop(stream, 2), "SOCKS");
  const size_t length = strlen(host);
  const int size = snprintf(bytes, sizeof bytes, "\5\1%c\3%c%s%c%c", 0, (int)length, host,
                            port >> 8, port & 0xFF);
  Check(WriteAll(stream, bytes, (size_t)size), "SOCKS");
  for (size_t got = 0, more = 0; got < 10; got += more) {
    more = ReadSome(stream, bytes + got, 10 - got);
    Check(more > 0, "SOCKS's answer");
  }
  Check(bytes[1] == 0, "SOCKS's answer");
}

// A connection to the host, through the proxy if there is one, with TLS if it is asked for.
static struct Stream Open(const struct Order* order) {
  const char* colon = strchr(order->via, ':');
  const struct in_addr loopback = {htonl(INADDR_LOOPBACK)};
  struct Stream stream = {.socket = colon != NULL ? Connect(loopback, atoi(colon + 1))
                                                  : Connect(host_address, order->port)};
  if (order->via[0] == 'c') AskConnect(&stream, order->port);
  if (order->via[0] == 's') AskSocks(&stream, order->port);
  if (strcmp(order->kind, "tls") != 0) return stream;
  SSL* tls = SSL_new(tls_context);
  Check(tls != NULL && SSL_set_fd(tls, stream.socket) == 1, "SSL_new");
  Check(SSL_set_tlsext_host_name(tls, host) == 1, "SNI");
  Check(SSL_connect(tls) == 1, "the TLS handshake");
  stream.tls = tls;
  return stream;
}

static void Tunnel(const struct Order* order) {
  const double first = Now();
  double began = first;
  for (size_t i = 0; i < order->count && began - first < kMaxTime; ++i) {
    began = Now();
    struct Stream stream = Open(order);
    if (stream.tls == NULL) Check(WriteText(&stream, "x") && Drop(&stream, 1), "an echo");
    printf("%.1f ", Now() - began);
    CloseStream(&stream);
  }
}

// --- requests ---

struct Requests {
  const struct Order* order;
  pthread_barrier_t* start;
  double* times;
  size_t count;
};

static int Exchange(const struct Stream* stream, const char* request) {
  char head[kHeadSize];
  if (!WriteText(stream, request)) return 0;
  const char* body = ReadUntil(stream, head, "\r\n\r\n");
  if (body == NULL || strncmp(head + 8, " 200", 4) != 0) return 0;
  const size_t length = ContentLength(head);
  const size_t come = strlen(body);
  return length > 0 && come <= length && Drop(stream, length - come);
}

// The host or the proxy may close a connection between requests: a request that fails on a reused
// connection is repeated on a new one.
static void* MakeRequests(void* argument) {
  struct Requests* all = argument;
  const struct Order* order = all->order;
  char request[kHeadSize], target[kHeadSize] = "";
  const int to_proxy = order->via[0] == 'h';
  if (to_proxy) snprintf(target, sizeof target, "http://%s:%d", host, order->port);
  snprintf(request, sizeof request, "GET %.300s/small HTTP/1.1\r\nHost: %.200s:%d\r\n\r\n", target,
           host, order->port);
  struct Stream stream = Open(order);
  Check(Exchange(&stream, request), "the first request");
  pthread_barrier_wait(all->start);
  const double first = Now();
  double began = first;
  size_t done = 0;
  for (; done < all->count && began - first < kMaxTime; ++done) {
    began = Now();
    if (!Exchange(&stream, request)) {
      CloseStream(&stream);
      stream = Open(order);
      Check(Exchange(&stream, request), "a request");
    }
    all->times[done] = Now() - began;
  }
  all->count = done;
  CloseStream(&stream);
  return NULL;
}

static void Request(const struct Order* order) {
  const size_t streams = (size_t)order->streams;
  Check(streams > 0 && streams <= kMaxStreams, "the number of connections");
  const size_t each = order->count / streams;
  double* times = calloc(order->count, sizeof *times);
  Check(times != NULL, "calloc");
  pthread_t threads[kMaxStreams];
  struct Requests parts[kMaxStreams];
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, (unsigned)streams + 1);
  for (size_t i = 0; i < streams; ++i) {
    parts[i] = (struct Requests){order, &start, times + i * each, each};
    errno = pthread_create(&threads[i], NULL, MakeRequests, &parts[i]);
    Check(errno == 0, "pthread_create");
  }
  pthread_barrier_wait(&start);
  const double began = Now();
  for (size_t i = 0; i < streams; ++i) pthread_join(threads[i], NULL);
  printf("%.1f ", Now() - began);
  for (size_t i = 0; i < streams; ++i) {
    for (size_t k = 0; k < parts[i].count; ++k) printf("%.1f ", parts[i].times[k]);
  }
  free(times);
}

// --- bulk ---

static void MoveHttp(const struct Stream* stream, const struct Order* order) {
  char head[kHeadSize], target[kHeadSize] = "";
  const int is_up = order->way[0] == 'U';
  if (order->via[0] == 'h') snprintf(target, sizeof target, "http://%s:%d", host, order->port);
  if (is_up) {
    snprintf(head, sizeof head,
             "POST %.300s/ HTTP/1.1\r\nHost: %.200s:%d\r\nContent-Length: %zu\r\n\r\n", target,
             host, order->port, order->count);
  } else {
    snprintf(head, sizeof head, "GET %.300s/%zu HTTP/1.1\r\nHost: %.200s:%d\r\n\r\n", target,
             order->count, host, order->port);
  }
  Check(WriteText(stream, head) && (!is_up || WriteFiller(stream, order->count)), "a request");
  // Byte by byte, so that no part of the body is read with the head.
  size_t size = 0;
  while (size < 4 || memcmp(head + size - 4, "\r\n\r\n", 4) != 0) {
    Check(size < sizeof head - 1 && ReadSome(stream, head + size, 1) == 1, "a response");
    ++size;
  }
  head[size] = '\0';
  Check(strncmp(head + 8, " 200", 4) == 0, "the response");
  Check(is_up || (ContentLength(head) == order->count && Drop(stream, order->count)), "a download");
}

static void Bulk(const struct Order* order) {
  struct Stream stream = Open(order);
  const double began = Now();
  if (order->kind[0] == 'h') {
    MoveHttp(&stream, order);
  } else {
    char line[100];
    const int is_up = order->way[0] == 'U';
    snprintf(line, sizeof line, "%c %zu\n", order->way[0], order->count);
    Check(WriteText(&stream, line), "a line");
    Check(is_up ? WriteFiller(&stream, order->count) && Drop(&stream, 3)
                : Drop(&stream, order->count),
          "a transfer");
  }
  printf("%.1f ", Now() - began);
  CloseStream(&stream);
}

// --- the rest ---

static void MeasureLookups(const struct Order* order) {
  for (size_t i = 0; i < order->count; ++i) {
    const double began = Now();
    LookUp();
    printf("%.1f ", Now() - began);
  }
}

static void MeasureLoopback(const struct Order* order) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof place;
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  Check(bind(listener, (struct sockaddr*)&place, size) == 0 && listen(listener, 100) == 0,
        "listen");
  Check(getsockname(listener, (struct sockaddr*)&place, &size) == 0, "getsockname");
  for (size_t i = 0; i < order->count; ++i) {
    const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const double began = Now();
    Check(connect(client, (struct sockaddr*)&place, size) == 0, "connect");
    printf("%.1f ", Now() - began);
    close(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
    close(client);
  }
  close(listener);
}

static void OpenIdle(const struct Order* order) {
  Check(order->count <= kMaxIdle, "the number of connections");
  for (; idle_count < order->count; ++idle_count) {
    struct Stream stream = Open(order);
    Check(WriteText(&stream, "x") && Drop(&stream, 1), "an echo");
    idle[idle_count] = stream.socket;
  }
  printf("0 ");
}

static void CloseIdle(void) {
  while (idle_count > 0) close(idle[--idle_count]);
}

static int Read(const char* line, struct Order* order) {
  *order = (struct Order){.kind = "plain"};
  if (sscanf(line, "bulk %31s %d %7s %7s %zu", order->via, &order->port, order->kind, order->way,
             &order->count) == 5 ||
      sscanf(line, "requests %31s %d %7s %zu %d", order->via, &order->port, order->kind,
             &order->count, &order->streams) == 5 ||
      sscanf(line, "tunnel %31s %d %7s %zu", order->via, &order->port, order->kind,
             &order->count) == 4 ||
      sscanf(line, "idle %31s %d %zu", order->via, &order->port, &order->count) == 3 ||
      sscanf(line, "lookup %zu", &order->count) == 1 ||
      sscanf(line, "loopback %zu", &order->count) == 1 || strcmp(line, "close\n") == 0) {
    return sscanf(line, "%15s", order->name) == 1;
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: net_client HOST\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  host = argv[1];
  if (strcmp(host, "-") != 0) host_address = LookUp();
  tls_context = SSL_CTX_new(TLS_client_method());
  char line[200];
  struct Order order;
  while (fgets(line, sizeof line, stdin) != NULL) {
    Check(Read(line, &order), line);
    CloseIdle();
    if (strcmp(order.name, "tunnel") == 0) Tunnel(&order);
    if (strcmp(order.name, "requests") == 0) Request(&order);
    if (strcmp(order.name, "bulk") == 0) Bulk(&order);
    if (strcmp(order.name, "lookup") == 0) MeasureLookups(&order);
    if (strcmp(order.name, "loopback") == 0) MeasureLoopback(&order);
    if (strcmp(order.name, "idle") == 0) OpenIdle(&order);
    printf("\n");
    fflush(stdout);
  }
  return 0;
}
