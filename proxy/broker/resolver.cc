#include "proxy/broker/resolver.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/syscall.h"

namespace ringfence {
namespace {

constexpr int64_t kAnswerLifetime = int64_t{5} * 1'000'000'000;  // nanoseconds
constexpr size_t kMaxEntries = 4096;
constexpr size_t kMaxAddresses = 32;

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Address AddressIn(const addrinfo& info) {
  Address address{};
  if (info.ai_family == AF_INET6) {
    sockaddr_in6 ipv6{};
    std::memcpy(&ipv6, info.ai_addr, sizeof ipv6);
    std::memcpy(address.data(), &ipv6.sin6_addr, address.size());
    return address;
  }
  sockaddr_in ipv4{};
  std::memcpy(&ipv4, info.ai_addr, sizeof ipv4);
  constexpr size_t kPrefix = 12;  // ::ffff:0:0/96
  address[10] = address[11] = 0xFF;
  std::memcpy(address.data() + kPrefix, &ipv4.sin_addr, sizeof ipv4.sin_addr);
  return address;
}

Resolver::Found LookUp(const std::string& name) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* first = nullptr;
  // Without a final dot, which would keep the host's search list out: /etc/hosts has none either.
  const int code = ::getaddrinfo(name.c_str(), nullptr, &hints, &first);
  const AddressList list(first, ::freeaddrinfo);
  Resolver::Found found;
  if (code != 0) {
    found.error = code == EAI_SYSTEM ? ErrnoName(errno) : ::gai_strerror(code);
    found.is_lasting = code != EAI_SYSTEM && code != EAI_MEMORY;
    return found;
  }
  for (const addrinfo* info = first; info != nullptr; info = info->ai_next) {
    const bool is_ip = info->ai_family == AF_INET || info->ai_family == AF_INET6;
    if (!is_ip || found.addresses.size() == kMaxAddresses) continue;
    const Address address = AddressIn(*info);
    if (std::ranges::find(found.addresses, address) == found.addresses.end()) {
      found.addresses.push_back(address);
    }
  }
  return found;
}

// The last two labels.
std::string_view DomainOf(std::string_view name) {
  const size_t last = name.rfind('.');
  if (last == std::string_view::npos || last == 0) return name;
  const size_t before = name.rfind('.', last - 1);
  return before == std::string_view::npos ? name : name.substr(before + 1);
}

}  // namespace

Resolver::Resolver(boost::asio::io_context& io) : Resolver(io, LookUp) {}

Resolver::~Resolver() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Resolver::is_busy() const {
  return std::ranges::any_of(entries_, [](const auto& item) { return item.second.known_at == 0; });
}

const Resolver::Found* Resolver::Known(const std::string& name) {
  const auto known = entries_.find(name);
  if (known == entries_.end() || known->second.known_at == 0) return nullptr;
  const int64_t age = Nanoseconds(CLOCK_MONOTONIC) - known->second.known_at;
  if (age < kAnswerLifetime) return &known->second.found;
  entries_.erase(known);
  return nullptr;
}

void Resolver::Resolve(const std::string& name, Handler handler) {
  if (const Found* known = Known(name)) return handler(*known);
  const auto running = entries_.find(name);
  if (running != entries_.end()) return running->second.waiting.push_back(std::move(handler));
  if (entries_.size() >= kMaxEntries) DropOld();
  if (entries_.size() >= kMaxEntries) return handler({{}, "too many lookups at once"});
  entries_[name].waiting.push_back(std::move(handler));
  bool needs_thread = false;
  {
    const std::lock_guard lock(mutex_);
    wanted_.push_back(name);
    needs_thread = wanted_.size() > idle_;
  }
  if (needs_thread && threads_.size() < kMaxThreads) AddThread();
  wake_.notify_one();
}

// Without another thread, the names wait for those that there are, or for the next attempt.
void Resolver::AddThread() {
  try {
    threads_.emplace_back([this] { Work(); });
  } catch (const std::system_error&) {
  }
}

void Resolver::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    auto next = wanted_.end();
    ++idle_;
    wake_.wait(lock, [&] { return ends_ || (next = NextName()) != wanted_.end(); });
    --idle_;
    if (ends_) return;
    const std::string name = std::move(*next);
    wanted_.erase(next);
    const std::string domain(DomainOf(name));
    ++running_[domain];
    lock.unlock();
    Found found = look_up_(name);
    boost::asio::post(
        io_, [this, name, found = std::move(found)]() mutable { Take(name, std::move(found)); });
    lock.lock();
    if (--running_[domain] == 0) running_.erase(domain);
  }
}

std::deque<std::string>::iterator Resolver::NextName() {
  return std::ranges::find_if(wanted_, [this](const std::string& name) {
    const auto running = running_.find(DomainOf(name));
    return running == running_.end() || running->second < kMaxOfDomain;
  });
}

void Resolver::Take(const std::string& name, Found found) {
  Entry& entry = entries_[name];
  entry.found = std::move(found);
  entry.known_at = Nanoseconds(CLOCK_MONOTONIC);
  const Found answer = entry.found;
  const std::vector<Handler> waiting = std::exchange(entry.waiting, {});
  if (!answer.is_lasting) entries_.erase(name);
  for (const Handler& handler : waiting) handler(answer);
}

void Resolver::DropOld() {
  const int64_t now = Nanoseconds(CLOCK_MONOTONIC);
  std::erase_if(entries_, [now](const auto& item) {
    return item.second.known_at != 0 && now - item.second.known_at >= kAnswerLifetime;
  });
}

}  // namespace ringfence
