/* Preloaded: lets the n-th call that changes something below a folder fail, or kills the process before it or half-way.
   Built and used by tests/factories/faults/__init__.py; covers Python, DuckDB and every other library alike. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KILL = -1, HALF = -2 }; /* what happens, where it is no errno */

static char folder[4096];
static long count, due_at;
static int how;

void faults_arm(const char *path, long n, int what)
{
    snprintf(folder, sizeof folder, "%s", path);
    count = 0, due_at = n, how = what;
}

long faults_count(void) { return count; }

/* Count a call; 0: go on, 1: fail, 2: do half of it and fail. A full disk stays full. */
static int due(const char *path, int grows)
{
    if (!folder[0] || strncmp(path, folder, strlen(folder)))
        return 0;
    long now = __sync_add_and_fetch(&count, 1);
    if (!due_at || now < due_at || (now > due_at && !(how == ENOSPC && grows)))
        return 0;
    if (how == KILL)
        kill(getpid(), SIGKILL);
    if (how == ENOSPC && !grows)
        return 0;
    errno = how;
    return now == due_at && grows ? 2 : 1;
}

static int due_fd(int fd, int grows)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return due(path, grows);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAILED(half)                       \
    {                                      \
        int fault = errno;                 \
        half;                              \
        if (how == HALF)                   \
            kill(getpid(), SIGKILL);       \
        errno = fault;                     \
        return -1;                         \
    }
#define WRITES(name, parameters, whole, half)                            \
    ssize_t name parameters                                              \
    {                                                                    \
        int what = due_fd(fd, 1);                                        \
        if (what)                                                        \
            FAILED(if (what == 2 && (REAL(name) half) < 0) what = 1)     \
        return REAL(name) whole;                                         \
    }
#define OPENS(name)                                                      \
    int name(const char *path, int flags, ...)                           \
    {                                                                    \
        va_list rest;                                                    \
        va_start(rest, flags);                                           \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;        \
        va_end(rest);                                                    \
        if (flags & O_CREAT && access(path, F_OK) && due(path, 1))       \
            FAILED((void)0)                                              \
        return REAL(name)(path, flags, mode);                            \
    }
#define CALLS(name, parameters, arguments, check)                        \
    int name parameters                                                  \
    {                                                                    \
        if (check)                                                       \
            FAILED((void)0)                                              \
        return REAL(name) arguments;                                     \
    }

WRITES(write, (int fd, const void *data, size_t n), (fd, data, n), (fd, data, n / 2))
WRITES(pwrite, (int fd, const void *data, size_t n, off_t at), (fd, data, n, at), (fd, data, n / 2, at))
WRITES(pwrite64, (int fd, const void *data, size_t n, off64_t at), (fd, data, n, at), (fd, data, n / 2, at))
WRITES(sendfile, (int fd, int in, off_t *at, size_t n), (fd, in, at, n), (fd, in, at, n / 2))
WRITES(sendfile64, (int fd, int in, off64_t *at, size_t n), (fd, in, at, n), (fd, in, at, n / 2))
OPENS(open)
OPENS(open64)
CALLS(fsync, (int fd), (fd), due_fd(fd, 0))
CALLS(fdatasync, (int fd), (fd), due_fd(fd, 0))
CALLS(ftruncate, (int fd, off_t n), (fd, n), due_fd(fd, 0))
CALLS(ftruncate64, (int fd, off64_t n), (fd, n), due_fd(fd, 0))
CALLS(rename, (const char *from, const char *to), (from, to), due(to, 0))
CALLS(link, (const char *from, const char *to), (from, to), due(to, 1))
CALLS(unlink, (const char *path), (path), due(path, 0))
CALLS(mkdir, (const char *path, mode_t mode), (path, mode), due(path, 1))
