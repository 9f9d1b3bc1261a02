// SPDX-License-Identifier: Apache-2.0
#include "tests/log/shim_vfs.hpp"

#include <sqlite3.h>

#include <mutex>
#include <string_view>

namespace dragoman::test {

namespace {

std::mutex synced_mutex;
std::string synced;

struct ShimFile {
  sqlite3_file base;
  bool wal;
  // The real file follows in memory.
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

ShimFile* shim(sqlite3_file* file) { return reinterpret_cast<ShimFile*>(file); }
sqlite3_file* real(sqlite3_file* file) { return shim(file)->real(); }
sqlite3_vfs* system_vfs() { return ::sqlite3_vfs_find("unix"); }

int close_file(sqlite3_file* f) { return real(f)->pMethods->xClose(real(f)); }
int read_file(sqlite3_file* f, void* to, int n, sqlite3_int64 at) {
  return real(f)->pMethods->xRead(real(f), to, n, at);
}
int write_file(sqlite3_file* f, const void* from, int n, sqlite3_int64 at) {
  if (disk().full) {
    ++disk().refused;
    return SQLITE_FULL;
  }
  if (shim(f)->wal) {
    ++disk().wal_writes;
    ++disk().unsynced;
  }
  return real(f)->pMethods->xWrite(real(f), from, n, at);
}
int truncate(sqlite3_file* f, sqlite3_int64 n) { return real(f)->pMethods->xTruncate(real(f), n); }
void keep_synced(sqlite3_file* file) {
  sqlite3_int64 bytes = 0;
  file->pMethods->xFileSize(file, &bytes);
  std::string all(static_cast<std::size_t>(bytes), '\0');
  file->pMethods->xRead(file, all.data(), static_cast<int>(bytes), 0);
  const std::lock_guard lock(synced_mutex);
  synced = std::move(all);
}
int sync_file(sqlite3_file* f, int flags) {
  const int code = real(f)->pMethods->xSync(real(f), flags);
  if (shim(f)->wal && code == SQLITE_OK && disk().keeps_synced) keep_synced(real(f));
  if (shim(f)->wal && code == SQLITE_OK) {
    ++disk().wal_syncs;
    disk().unsynced = 0;
  }
  return code;
}
int size(sqlite3_file* f, sqlite3_int64* n) { return real(f)->pMethods->xFileSize(real(f), n); }
int lock(sqlite3_file* f, int level) { return real(f)->pMethods->xLock(real(f), level); }
int unlock(sqlite3_file* f, int level) { return real(f)->pMethods->xUnlock(real(f), level); }
int reserved(sqlite3_file* f, int* out) {
  return real(f)->pMethods->xCheckReservedLock(real(f), out);
}
int control(sqlite3_file* f, int op, void* arg) {
  return real(f)->pMethods->xFileControl(real(f), op, arg);
}
int sector(sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); }
int traits(sqlite3_file* f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); }
int shm_map(sqlite3_file* f, int page, int n, int extend, void volatile** to) {
  return real(f)->pMethods->xShmMap(real(f), page, n, extend, to);
}
int shm_lock(sqlite3_file* f, int at, int n, int flags) {
  return real(f)->pMethods->xShmLock(real(f), at, n, flags);
}
void shm_barrier(sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); }
int shm_unmap(sqlite3_file* f, int erase) { return real(f)->pMethods->xShmUnmap(real(f), erase); }

const sqlite3_io_methods kMethods = {2,           close_file, read_file, write_file, truncate,
                                     sync_file,   size,       lock,      unlock,     reserved,
                                     control,     sector,     traits,    shm_map,    shm_lock,
                                     shm_barrier, shm_unmap,  nullptr,   nullptr};

int open_file(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* f, int flags, int* out) {
  f->pMethods = nullptr;
  shim(f)->wal = (flags & SQLITE_OPEN_WAL) != 0;
  const int code = system_vfs()->xOpen(system_vfs(), name, real(f), flags, out);
  if (code == SQLITE_OK) f->pMethods = &kMethods;
  return code;
}

}  // namespace

DiskState& disk() {
  static DiskState state;
  return state;
}

std::string what_was_synced() {
  const std::lock_guard lock(synced_mutex);
  return synced;
}

std::string shim_vfs() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs copy = *system_vfs();
    copy.zName = "shim";
    copy.pNext = nullptr;
    copy.szOsFile = static_cast<int>(sizeof(ShimFile)) + system_vfs()->szOsFile;
    copy.xOpen = open_file;
    return copy;
  }();
  ::sqlite3_vfs_register(&vfs, 0);
  return "shim";
}

ShimForAll::ShimForAll() { ::sqlite3_vfs_register(::sqlite3_vfs_find(shim_vfs().c_str()), 1); }
ShimForAll::~ShimForAll() { ::sqlite3_vfs_register(system_vfs(), 1); }

}  // namespace dragoman::test
