// Included before everything else in a build against musl: libstdc++'s headers were configured for
// glibc and use a few glibc names that musl spells differently or lacks. Nothing that depends on
// them (locales, threads) is used.
#pragma once

#include <features.h>

#define __GLIBC_PREREQ(major, minor) 0
#define __locale_t locale_t
#include <bits/c++config.h>
#undef _GLIBCXX_USE_PTHREAD_COND_CLOCKWAIT

enum {
  _ISupper = 1,
  _ISlower = 2,
  _ISalpha = 4,
  _ISdigit = 8,
  _ISxdigit = 16,
  _ISspace = 32,
  _ISprint = 64,
  _ISgraph = 128,
  _ISblank = 256,
  _IScntrl = 512,
  _ISpunct = 1024,
  _ISalnum = 2048
};
