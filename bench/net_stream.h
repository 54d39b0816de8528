// What net_client.c and net_host.c share: a connection with or without TLS, and how bytes move.
#pragma once

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kPieceSize = 256 * 1024, kHeadSize = 4096 };

struct Stream {
  int socket;
  SSL* tls;  // NULL without TLS
};

static void Check(int ok, const char* what) {
  if (ok) return;
  fprintf(stderr, "%s: %s\n", what, errno != 0 ? strerror(errno) : "failed");
  exit(1);
}

static inline void SendAtOnce(int socket) {
  const int on = 1;
  Check(setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0, "TCP_NODELAY");
}

// Returns the number of bytes; 0 at the end and after an error.
static inline size_t ReadSome(const struct Stream* stream, char* to, size_t size) {
  const int piece = size > kPieceSize ? kPieceSize : (int)size;
  const ssize_t got = stream->tls != NULL ? SSL_read(stream->tls, to, piece)
                                          : read(stream->socket, to, (size_t)piece);
  return got > 0 ? (size_t)got : 0;
}

// Returns 0 after an error.
static inline int WriteAll(const struct Stream* stream, const char* from, size_t size) {
  while (size > 0) {
    const int piece = size > kPieceSize ? kPieceSize : (int)size;
    const ssize_t sent = stream->tls != NULL ? SSL_write(stream->tls, from, piece)
                                             : write(stream->socket, from, (size_t)piece);
    if (sent <= 0) return 0;
    from += sent;
    size -= (size_t)sent;
  }
  return 1;
}

static inline int WriteText(const struct Stream* stream, const char* text) {
  return WriteAll(stream, text, strlen(text));
}

// Writes `size` arbitrary bytes.
static inline int WriteFiller(const struct Stream* stream, size_t size) {
  static const char filler[kPieceSize];
  while (size > 0) {
    const size_t piece = size > kPieceSize ? kPieceSize : size;
    if (!WriteAll(stream, filler, piece)) return 0;
    size -= piece;
  }
  return 1;
}

// Reads and discards `size` bytes.
static inline int Drop(const struct Stream* stream, size_t size) {
  static char dropped[kPieceSize];  // shared by all threads; never read
  while (size > 0) {
    const size_t got = ReadSome(stream, dropped, size);
    if (got == 0) return 0;
    size -= got;
  }
  return 1;
}

// Reads into `head`, a string of at most kHeadSize - 1 bytes, until `end` arrives. Returns what
// follows `end`; NULL if it does not arrive.
static inline char* ReadUntil(const struct Stream* stream, char* head, const char* end) {
  size_t size = 0;
  for (;;) {
    const size_t got = ReadSome(stream, head + size, kHeadSize - 1 - size);
    if (got == 0) return NULL;
    size += got;
    head[size] = '\0';
    char* at = strstr(head, end);
    if (at != NULL) return at + strlen(end);
  }
}

// The number after Content-Length; 0 without one.
static inline size_t ContentLength(const char* head) {
  const char* name = strcasestr(head, "\r\ncontent-length:");
  return name == NULL ? 0 : strtoull(name + strlen("\r\ncontent-length:"), NULL, 10);
}

static inline void CloseStream(struct Stream* stream) {
  if (stream->tls != NULL) SSL_free(stream->tls);
  close(stream->socket);
}
