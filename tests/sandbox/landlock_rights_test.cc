#include "sandbox/landlock_rights.h"

#include <doctest/doctest.h>

#include <bit>

using namespace ringfence;

namespace {

// Numbers from linux/landlock.h, which other systems and older headers lack.
enum Right : uint64_t {
  kExecute = 1u << 0,
  kWriteFile = 1u << 1,
  kReadFile = 1u << 2,
  kReadDir = 1u << 3,
  kRemoveDir = 1u << 4,
  kRemoveFile = 1u << 5,
  kMakeChar = 1u << 6,
  kMakeDir = 1u << 7,
  kMakeReg = 1u << 8,
  kMakeSock = 1u << 9,
  kMakeFifo = 1u << 10,
  kMakeBlock = 1u << 11,
  kMakeSym = 1u << 12,
  kRefer = 1u << 13,
  kTruncate = 1u << 14,
  kIoctlDev = 1u << 15,
  kResolveUnix = 1u << 16,
};

constexpr uint64_t kRead = kExecute | kReadFile | kReadDir;
constexpr uint64_t kMakeAndRemove = kRemoveDir | kRemoveFile | kMakeChar | kMakeDir | kMakeReg |
                                    kMakeSock | kMakeFifo | kMakeBlock | kMakeSym;
// Rights that landlock_add_rule(2) accepts for a file that is not a directory.
constexpr uint64_t kForFiles =
    kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDev | kResolveUnix;

struct Row {
  int abi;
  uint64_t handled;
  uint64_t write;
  uint64_t write_file;
  uint64_t devices;
  uint64_t scopes;
};

constexpr uint64_t kFirst = kWriteFile | kMakeAndRemove;
constexpr uint64_t kSecond = kFirst | kRefer;
constexpr uint64_t kThird = kSecond | kTruncate;
constexpr uint64_t kFifth = kThird | kIoctlDev;
constexpr uint64_t kNinth = kFifth | kResolveUnix;
constexpr uint64_t kFileFifth = kWriteFile | kTruncate | kIoctlDev;

constexpr Row kRows[] = {
    {-1, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0},
    {1, kRead | kFirst, kFirst, kWriteFile, kWriteFile, 0},
    {2, kRead | kSecond, kSecond, kWriteFile, kWriteFile, 0},
    {3, kRead | kThird, kThird, kWriteFile | kTruncate, kWriteFile | kTruncate, 0},
    {4, kRead | kThird, kThird, kWriteFile | kTruncate, kWriteFile | kTruncate, 0},
    {5, kRead | kFifth, kFifth, kFileFifth, kFileFifth, 0},
    {6, kRead | kFifth, kFifth, kFileFifth, kFileFifth, 3},
    {7, kRead | kFifth, kFifth, kFileFifth, kFileFifth, 3},
    {8, kRead | kFifth, kFifth, kFileFifth, kFileFifth, 3},
    {9, kRead | kNinth, kNinth, kFileFifth | kResolveUnix, kFileFifth, 3},
    {10, kRead | kNinth, kNinth, kFileFifth | kResolveUnix, kFileFifth, 3},
};

}  // namespace

TEST_CASE("landlock rights: each version of the interface has its own") {
  for (const Row& row : kRows) {
    CAPTURE(row.abi);
    const LandlockRights rights = RightsOfAbi(row.abi);
    CHECK(rights.handled == row.handled);
    CHECK(rights.read == (row.abi < 1 ? 0 : kRead));
    CHECK(rights.write == row.write);
    CHECK(rights.write_file == row.write_file);
    CHECK(rights.devices == row.devices);
    CHECK(rights.scopes == row.scopes);
  }
}

TEST_CASE("landlock rights: only handled rights are granted, otherwise the kernel returns EINVAL") {
  for (const Row& row : kRows) {
    CAPTURE(row.abi);
    const LandlockRights rights = RightsOfAbi(row.abi);
    CHECK((rights.read & ~rights.handled) == 0);
    CHECK((rights.write & ~rights.handled) == 0);
    CHECK((rights.write_file & ~rights.write) == 0);
    CHECK((rights.devices & ~rights.handled) == 0);
  }
}

TEST_CASE("landlock rights: each handled right is for reading or writing, never both") {
  for (const Row& row : kRows) {
    CAPTURE(row.abi);
    const LandlockRights rights = RightsOfAbi(row.abi);
    CHECK((rights.read | rights.write) == rights.handled);
    CHECK((rights.read & rights.write) == 0);
  }
}

TEST_CASE("landlock rights: a rule for a file has no rights that only directories have") {
  for (const Row& row : kRows) {
    CAPTURE(row.abi);
    CHECK((RightsOfAbi(row.abi).write_file & ~kForFiles) == 0);
  }
}

TEST_CASE("landlock rights: nothing is created or removed below /dev") {
  for (const Row& row : kRows) {
    CAPTURE(row.abi);
    CHECK((RightsOfAbi(row.abi).devices & (kMakeAndRemove | kRefer)) == 0);
  }
}

TEST_CASE("landlock rights: a newer version never handles less") {
  uint64_t before = 0;
  for (int abi = 0; abi <= 12; ++abi) {
    CAPTURE(abi);
    const uint64_t handled = RightsOfAbi(abi).handled;
    CHECK((before & ~handled) == 0);
    before = handled;
  }
  CHECK(std::popcount(before) == 17);
}
