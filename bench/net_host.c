// The host of bench/proxy.py: answers each connection in a thread of its own.
//
//   net_host ADDRESS PORT TLS-PORT CERTIFICATE KEY
//
// The client's first line says what it wants: "D SIZE" downloads SIZE bytes; "U SIZE" uploads SIZE
// bytes and is answered "ok"; GET /SIZE and POST do the same over HTTP, for one request. Everything
// else is echoed.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>

#include "net_stream.h"

static SSL_CTX* tls_context;

// `rest`: what follows the head; `size`: bytes received so far.
static int AnswerHttp(const struct Stream* client, const char* head, const char* rest,
                      size_t size) {
  const size_t length = ContentLength(head);
  const size_t wanted = strncmp(head, "GET ", 4) == 0 ? strtoull(head + 5, NULL, 10) : 0;
  char answer[100];
  snprintf(answer, sizeof answer,
           "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n", wanted);
  const size_t begun = size - (size_t)(rest - head);
  return Drop(client, length - begun) && WriteText(client, answer) && WriteFiller(client, wanted);
}

static int AnswerPlain(const struct Stream* client, const char* head, const char* rest,
                       size_t size) {
  const size_t wanted = strtoull(head + 2, NULL, 10);
  if (head[0] == 'D') return WriteFiller(client, wanted);
  const size_t begun = size - (size_t)(rest - head);
  return Drop(client, wanted - begun) && WriteText(client, "ok\n");
}

static void Echo(const struct Stream* client, char* bytes, size_t size) {
  while (size > 0 && WriteAll(client, bytes, size)) size = ReadSome(client, bytes, kHeadSize);
}

static void Answer(const struct Stream* client) {
  char head[kHeadSize];
  size_t size = ReadSome(client, head, sizeof head - 1);
  if (size == 0) return;
  if (strchr("DUGP", head[0]) == NULL) return Echo(client, head, size);
  const int is_http = head[0] == 'G' || head[0] == 'P';
  const char* end = is_http ? "\r\n\r\n" : "\n";
  for (;;) {
    head[size] = '\0';
    char* at = strstr(head, end);
    if (at != NULL) {
      at += strlen(end);
      is_http ? AnswerHttp(client, head, at, size) : AnswerPlain(client, head, at, size);
      return;
    }
    const size_t got = ReadSome(client, head + size, sizeof head - 1 - size);
    if (got == 0) return;
    size += got;
  }
}

static void* Serve(void* argument) {
  struct Stream* client = argument;
  SendAtOnce(client->socket);
  if (client->tls == NULL || SSL_accept(client->tls) == 1) Answer(client);
  CloseStream(client);
  free(client);
  return NULL;
}

static int Listen(const char* address, const char* port) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
  Check(inet_pton(AF_INET, address, &place.sin_addr) == 1, address);
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  Check(setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0, "SO_REUSEADDR");
  Check(bind(listener, (struct sockaddr*)&place, sizeof place) == 0, "bind");
  Check(listen(listener, 1024) == 0, "listen");
  return listener;
}

struct Listener {
  int socket;
  int has_tls;
};

static void* AcceptAll(void* argument) {
  const struct Listener* listener = argument;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 128 * 1024);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  for (;;) {
    struct Stream* client = calloc(1, sizeof *client);
    Check(client != NULL, "calloc");
    client->socket = accept4(listener->socket, NULL, NULL, SOCK_CLOEXEC);
    Check(client->socket >= 0, "accept4");
    if (listener->has_tls) {
      client->tls = SSL_new(tls_context);
      SSL_set_fd(client->tls, client->socket);
    }
    pthread_t thread;
    errno = pthread_create(&thread, &attributes, Serve, client);
    Check(errno == 0, "pthread_create");
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: net_host ADDRESS PORT TLS-PORT CERTIFICATE KEY\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  tls_context = SSL_CTX_new(TLS_server_method());
  Check(SSL_CTX_use_certificate_file(tls_context, argv[4], SSL_FILETYPE_PEM) == 1, argv[4]);
  Check(SSL_CTX_use_PrivateKey_file(tls_context, argv[5], SSL_FILETYPE_PEM) == 1, argv[5]);
  struct Listener plain = {.socket = Listen(argv[1], argv[2])};
  struct Listener secure = {.socket = Listen(argv[1], argv[3]), .has_tls = 1};
  pthread_t thread;
  errno = pthread_create(&thread, NULL, AcceptAll, &secure);
  Check(errno == 0, "pthread_create");
  AcceptAll(&plain);
}
