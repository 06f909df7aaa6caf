/* Stands between a process and the disk: kills it at a chosen call that changes files under one
 * folder, or writes down every such call, with what was written. Loaded with LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static char root[PATH_MAX];
static size_t root_length;
static long seen, kill_at;
static char kinds[1 << 16];
static int half, record = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int inside;

/* From Python: watch the files under a folder; kill at the Nth call (0: never), before it or after
 * half of what it writes; write the calls into an open file (-1: do not). */
void witness_watch(const char *folder, long nth, int after_half, int into) {
  snprintf(root, sizeof root, "%s", folder);
  root_length = strlen(root);
  seen = 0;
  memset(kinds, 0, sizeof kinds);
  kill_at = nth;
  half = after_half;
  record = into;
}

/* A letter for each call so far. */
const char *witness_seen(void) { return kinds; }

static void put(const void *bytes, size_t size) {
  while (size) {
    ssize_t done = REAL(write)(record, bytes, size);
    if (done <= 0) abort();
    bytes = (const char *)bytes + done;
    size -= done;
  }
}

/* One call: its kind, up to two paths, an inode, an offset, and bytes. */
static void said(char kind, const char *path, const char *other, uint64_t inode, int64_t offset,
                 const void *bytes, uint64_t size) {
  if (record < 0) return;
  uint64_t head[5] = {strlen(path), strlen(other), inode, (uint64_t)offset, size};
  put(&kind, 1);
  put(head, sizeof head);
  put(path, head[0]);
  put(other, head[1]);
  put(bytes, size);
}

void witness_note(const char *words) { said('N', words, "", 0, 0, "", 0); }

static int ours(const char *path) {
  return root_length && !inside && strncmp(path, root, root_length) == 0;
}

static int of_handle(int handle, char *path) {
  char link[64];
  if (!root_length || inside || handle == record) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return ours(path);
}

static uint64_t inode_of(int handle) {
  struct stat found;
  return fstat(handle, &found) ? 0 : found.st_ino;
}

static uint64_t inode_at(const char *path) {
  struct stat found;
  return lstat(path, &found) ? 0 : found.st_ino;
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* Whether this is the call to die at. */
static int count(char kind) {
  if (seen < (long)sizeof kinds - 1) kinds[seen] = kind;
  return ++seen == kill_at;
}

static void called(char kind) {
  if (count(kind)) die();
}

#define LOCKED pthread_mutex_lock(&lock)
#define FREE pthread_mutex_unlock(&lock)

static ssize_t written(int handle, const void *bytes, size_t size, off_t at, int placed,
                       const char *path) {
  LOCKED;
  int last = count('W');
  if (last && (!half || size < 2)) die();
  size_t part = last ? size / 2 : size;
  off_t where = placed ? at : lseek(handle, 0, SEEK_CUR);
  if (!placed && (fcntl(handle, F_GETFL) & O_APPEND)) where = lseek(handle, 0, SEEK_END);
  ssize_t done = placed ? REAL(pwrite64)(handle, bytes, part, at) : REAL(write)(handle, bytes, part);
  if (last) die();
  if (done > 0) said('W', path, "", inode_of(handle), where, bytes, done);
  FREE;
  return done;
}

ssize_t write(int handle, const void *bytes, size_t size) {
  char path[PATH_MAX];
  if (!of_handle(handle, path)) return REAL(write)(handle, bytes, size);
  return written(handle, bytes, size, 0, 0, path);
}

ssize_t pwrite64(int handle, const void *bytes, size_t size, off64_t at) {
  char path[PATH_MAX];
  if (!of_handle(handle, path)) return REAL(pwrite64)(handle, bytes, size, at);
  return written(handle, bytes, size, at, 1, path);
}

ssize_t pwrite(int handle, const void *bytes, size_t size, off_t at) {
  return pwrite64(handle, bytes, size, at);
}

#define ON_HANDLE(kind, call, offset)              \
  char path[PATH_MAX];                             \
  if (!of_handle(handle, path)) return call;       \
  LOCKED;                                          \
  called(kind);                                    \
  int code = call;                                 \
  if (!code) said(kind, path, "", inode_of(handle), offset, "", 0); \
  FREE;                                            \
  return code

int fsync(int handle) { ON_HANDLE('S', REAL(fsync)(handle), 0); }
int fdatasync(int handle) { ON_HANDLE('S', REAL(fdatasync)(handle), 0); }
int ftruncate64(int handle, off64_t size) { ON_HANDLE('T', REAL(ftruncate64)(handle, size), size); }
int ftruncate(int handle, off_t size) { return ftruncate64(handle, size); }

#define ON_PATH(kind, call, other, before)          \
  if (!ours(path)) return call;                     \
  LOCKED;                                           \
  called(kind);                                     \
  uint64_t inode = before ? inode_at(path) : 0;     \
  int code = call;                                  \
  if (!code) said(kind, path, other, before ? inode : inode_at(path), 0, "", 0); \
  FREE;                                             \
  return code

int unlink(const char *path) { ON_PATH('U', REAL(unlink)(path), "", 1); }
int rmdir(const char *path) { ON_PATH('R', REAL(rmdir)(path), "", 1); }
int mkdir(const char *path, mode_t mode) { ON_PATH('D', REAL(mkdir)(path, mode), "", 0); }
int rename(const char *path, const char *to) { ON_PATH('M', REAL(rename)(path, to), to, 1); }
int link(const char *path, const char *to) { ON_PATH('L', REAL(link)(path, to), to, 1); }

int unlinkat(int folder, const char *path, int flags) {
  if (folder == AT_FDCWD && !(flags & AT_REMOVEDIR)) return unlink(path);
  return REAL(unlinkat)(folder, path, flags);
}

static int opening(const char *path, int flags, mode_t mode) {
  /* Only what makes or empties a file changes anything. */
  int fresh = (flags & O_CREAT) && !inode_at(path), emptied = flags & O_TRUNC;
  if (!ours(path) || !(fresh || emptied)) return REAL(open64)(path, flags, mode);
  LOCKED;
  called('C');
  int handle = REAL(open64)(path, flags, mode);
  if (handle >= 0 && fresh) said('C', path, "", inode_of(handle), 0, "", 0);
  if (handle >= 0 && !fresh) said('T', path, "", inode_of(handle), 0, "", 0);
  FREE;
  return handle;
}

#define MODE                      \
  mode_t mode = 0;                \
  if (flags & O_CREAT) {          \
    va_list more;                 \
    va_start(more, flags);        \
    mode = va_arg(more, mode_t);  \
    va_end(more);                 \
  }

int open(const char *path, int flags, ...) { MODE return opening(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return opening(path, flags, mode); }

int openat64(int folder, const char *path, int flags, ...) {
  MODE
  if (folder == AT_FDCWD || path[0] == '/') return opening(path, flags, mode);
  return REAL(openat64)(folder, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
  MODE return openat64(folder, path, flags, mode);
}
