/* Lets the n-th system call of the armed thread fail, for bench_faults.py and bench_store_faults.py. Loaded with LD_PRELOAD.

   Only calls that touch files count. `arm(n, error, sticky)` counts from 1; with `sticky` every
   later call that writes fails too, as on a full or read-only disk. `disarm()` gives the count. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int armed, wanted, failure, sticky, count;

void arm(int number, int error, int for_ever) {
    wanted = number; failure = error; sticky = for_ever; count = 0; armed = 1;
}

int disarm(void) { armed = 0; return count; }

static int fails(int writes) {
    if (!armed) return 0;
    count++;
    if (count == wanted || (sticky && writes && count > wanted)) { errno = failure; return 1; }
    return 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define WRAP(type, name, parameters, arguments, writes) \
    type name parameters { if (fails(writes)) return -1; return REAL(name) arguments; }

static int opened(const char *name, int folder, const char *path, int flags, mode_t mode) {
    if (fails((flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0)) return -1;
    if (folder == AT_FDCWD) {
        int (*plain)(const char *, int, ...) = dlsym(RTLD_NEXT, name);
        return plain(path, flags, mode);
    }
    int (*at)(int, const char *, int, ...) = dlsym(RTLD_NEXT, name);
    return at(folder, path, flags, mode);
}

#define MODE mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); \
        mode = va_arg(more, mode_t); va_end(more); }

int open(const char *path, int flags, ...) { MODE return opened("open", AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return opened("open64", AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) {
    MODE if (fails((flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0)) return -1;
    return REAL(openat)(folder, path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...) {
    MODE if (fails((flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0)) return -1;
    return REAL(openat64)(folder, path, flags, mode);
}

WRAP(ssize_t, read, (int fd, void *data, size_t size), (fd, data, size), 0)
WRAP(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size), 1)
WRAP(ssize_t, pread, (int fd, void *data, size_t size, off_t at), (fd, data, size, at), 0)
WRAP(ssize_t, pread64, (int fd, void *data, size_t size, off64_t at), (fd, data, size, at), 0)
WRAP(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at), 1)
WRAP(ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at), 1)
WRAP(int, fsync, (int fd), (fd), 1)
WRAP(int, fdatasync, (int fd), (fd), 1)
WRAP(int, ftruncate, (int fd, off_t size), (fd, size), 1)
WRAP(int, ftruncate64, (int fd, off64_t size), (fd, size), 1)
WRAP(off_t, lseek, (int fd, off_t place, int from), (fd, place, from), 0)
WRAP(off64_t, lseek64, (int fd, off64_t place, int from), (fd, place, from), 0)
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), 1)
WRAP(int, fchown, (int fd, uid_t owner, gid_t group), (fd, owner, group), 1)
WRAP(int, rename, (const char *from, const char *to), (from, to), 1)
WRAP(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to), 1)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), 1)
WRAP(int, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), 1)
/* Taking away frees space: only a single failure may strike it. */
WRAP(int, unlink, (const char *path), (path), 0)
WRAP(int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags), 0)
WRAP(int, rmdir, (const char *path), (path), 0)
WRAP(ssize_t, readlink, (const char *path, char *data, size_t size), (path, data, size), 0)
WRAP(int, stat, (const char *path, struct stat *found), (path, found), 0)
WRAP(int, stat64, (const char *path, struct stat64 *found), (path, found), 0)
WRAP(int, lstat, (const char *path, struct stat *found), (path, found), 0)
WRAP(int, lstat64, (const char *path, struct stat64 *found), (path, found), 0)
WRAP(int, fstat, (int fd, struct stat *found), (fd, found), 0)
WRAP(int, fstat64, (int fd, struct stat64 *found), (fd, found), 0)
WRAP(int, fstatat, (int folder, const char *path, struct stat *found, int flags), (folder, path, found, flags), 0)
WRAP(int, fstatat64, (int folder, const char *path, struct stat64 *found, int flags), (folder, path, found, flags), 0)
WRAP(int, access, (const char *path, int mode), (path, mode), 0)
WRAP(ssize_t, flistxattr, (int fd, char *names, size_t size), (fd, names, size), 0)

/* The descriptor is closed all the same, as Linux does. */
int close(int fd) { int bad = fails(0); int done = REAL(close)(fd); return bad ? (errno = failure, -1) : done; }
