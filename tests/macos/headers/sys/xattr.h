/* Declarations of macOS that cross compilers leave out (setxattr(2), getxattr(2), listxattr(2),
 * removexattr(2)). */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

ssize_t fgetxattr(int, const char*, void*, size_t, uint32_t, int);
int fsetxattr(int, const char*, const void*, size_t, uint32_t, int);
ssize_t flistxattr(int, char*, size_t, int);
int fremovexattr(int, const char*, int);

#ifdef __cplusplus
}
#endif
