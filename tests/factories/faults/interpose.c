/* Preloaded: lets the n-th call that changes something below a folder fail, or kills the process before it or half-way,
   or interrupts it, or moves the clock back; or lets the n-th large allocation fail. Or records all those calls.
   Built and used by tests/factories/faults/__init__.py; covers Python, DuckDB and every other library alike. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { KILL = -1, HALF = -2, INTERRUPT = -3, CLOCK = -4 }; /* what happens, where it is no errno */
enum { LARGE = 1 << 16 };                                   /* bytes of an allocation that counts */

static char folder[4096];
static long count, due_at;
static int how;
static FILE *trace;
static pthread_mutex_t tracing = PTHREAD_MUTEX_INITIALIZER;

void faults_arm(const char *path, long n, int what)
{
    snprintf(folder, sizeof folder, "%s", path);
    count = 0, due_at = n, how = what;
}

long faults_count(void) { return count; }

static int inside(const char *path) { return folder[0] && !strncmp(path, folder, strlen(folder)); }

/* Count a call; 0: go on, 1: fail, 2: do half of it and fail. A full disk stays full, and a read-only one read-only. */
static int due(const char *path, int grows)
{
    if (!inside(path) || how == ENOMEM)
        return 0;
    long now = __sync_add_and_fetch(&count, 1);
    if (!due_at || now < due_at || (now > due_at && !(how == ENOSPC && grows) && how != EROFS))
        return 0;
    if (how == KILL || how == INTERRUPT)
        kill(getpid(), how == KILL ? SIGKILL : SIGINT);
    if (how == INTERRUPT || how == CLOCK || (how == ENOSPC && !grows))
        return 0;
    errno = how;
    return now == due_at && grows && how != EROFS ? 2 : 1;
}

static const char *path_of(int fd, char *path)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, 4095);
    path[length < 0 ? 0 : length] = 0;
    return path;
}

static int due_fd(int fd, int grows)
{
    char path[4096];
    return due(path_of(fd, path), grows);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* A call that was made: a line, and the bytes that were written. */
static void note(char kind, const char *path, const char *to, long at, long n)
{
    int kept = errno;
    if (trace && (kind == 'A' || inside(path))) {
        pthread_mutex_lock(&tracing);
        fprintf(trace, "%c\t%s\t%s\t%ld\t%ld\n", kind, path, to, at, n);
        char part[65536];
        int file = kind == 'W' ? REAL(open)(path, O_RDONLY) : -1;
        for (ssize_t got; file >= 0 && n > 0; at += got, n -= got) {
            got = pread(file, part, n < (long)sizeof part ? n : (long)sizeof part, at);
            if (got <= 0)
                abort();
            fwrite(part, 1, got, trace);
        }
        if (file >= 0)
            close(file);
        pthread_mutex_unlock(&tracing);
    }
    errno = kept;
}

static void note_fd(char kind, int fd, long at, long n)
{
    char path[4096];
    if (trace)
        note(kind, path_of(fd, path), "", at, n);
}

static long end_of(int fd)
{
    struct stat facts;
    if (fcntl(fd, F_GETFL) & O_APPEND)
        return fstat(fd, &facts) ? 0 : facts.st_size;
    return lseek(fd, 0, SEEK_CUR);
}

static long inode_of(int fd)
{
    struct stat facts;
    return fstat(fd, &facts) ? 0 : (long)facts.st_ino;
}

void faults_record(const char *path)
{
    if (trace)
        fclose(trace);
    trace = path[0] ? fopen(path, "wb") : NULL;
}

void faults_acknowledge(const char *name) { note('A', name, "", 0, 0); }
#define FAILED(half)                       \
    {                                      \
        int fault = errno;                 \
        half;                              \
        if (how == HALF)                   \
            kill(getpid(), SIGKILL);       \
        errno = fault;                     \
        return -1;                         \
    }
#define WRITES(name, parameters, whole, half, position)                  \
    ssize_t name parameters                                              \
    {                                                                    \
        int what = due_fd(fd, 1);                                        \
        if (what)                                                        \
            FAILED(if (what == 2 && (REAL(name) half) < 0) what = 1)     \
        long start = trace ? (position) : 0;                             \
        ssize_t done = REAL(name) whole;                                 \
        if (done > 0)                                                    \
            note_fd('W', fd, start, done);                               \
        return done;                                                     \
    }
#define OPENS(name)                                                      \
    int name(const char *path, int flags, ...)                           \
    {                                                                    \
        va_list rest;                                                    \
        va_start(rest, flags);                                           \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;        \
        va_end(rest);                                                    \
        int makes = flags & O_CREAT && access(path, F_OK);               \
        int locked = how == EROFS && flags & (O_WRONLY | O_RDWR);        \
        if ((makes || locked) && due(path, 1))                           \
            FAILED((void)0)                                              \
        int fd = REAL(name)(path, flags, mode);                          \
        if (fd >= 0 && (makes || flags & O_TRUNC))                       \
            note_fd(makes ? 'C' : 'T', fd, makes ? inode_of(fd) : 0, 0); \
        return fd;                                                       \
    }
#define CALLS(name, parameters, arguments, check, noted)                 \
    int name parameters                                                  \
    {                                                                    \
        if (check)                                                       \
            FAILED((void)0)                                              \
        int result = REAL(name) arguments;                               \
        if (!result)                                                     \
            noted;                                                       \
        return result;                                                   \
    }
#define ALLOCATES(kind, name, parameters, arguments, n, failed)          \
    kind name parameters                                                 \
    {                                                                    \
        static kind(*real) parameters;                                   \
        if (!real)                                                       \
            real = (kind(*) parameters)dlsym(RTLD_NEXT, #name);          \
        return short_of(n) ? failed : real arguments;                    \
    }

WRITES(write, (int fd, const void *data, size_t n), (fd, data, n), (fd, data, n / 2), end_of(fd))
WRITES(pwrite, (int fd, const void *data, size_t n, off_t at), (fd, data, n, at), (fd, data, n / 2, at), at)
WRITES(pwrite64, (int fd, const void *data, size_t n, off64_t at), (fd, data, n, at), (fd, data, n / 2, at), at)
WRITES(sendfile, (int fd, int in, off_t *at, size_t n), (fd, in, at, n), (fd, in, at, n / 2), end_of(fd))
WRITES(sendfile64, (int fd, int in, off64_t *at, size_t n), (fd, in, at, n), (fd, in, at, n / 2), end_of(fd))
OPENS(open)
OPENS(open64)
CALLS(fsync, (int fd), (fd), due_fd(fd, 0), note_fd('S', fd, inode_of(fd), 0))
CALLS(fdatasync, (int fd), (fd), due_fd(fd, 0), note_fd('S', fd, inode_of(fd), 0))
CALLS(ftruncate, (int fd, off_t n), (fd, n), due_fd(fd, 0), note_fd('T', fd, n, 0))
CALLS(ftruncate64, (int fd, off64_t n), (fd, n), due_fd(fd, 0), note_fd('T', fd, n, 0))
CALLS(rename, (const char *from, const char *to), (from, to), due(to, 0), note('R', from, to, 0, 0))
CALLS(link, (const char *from, const char *to), (from, to), due(to, 1), note('L', from, to, 0, 0))
CALLS(unlink, (const char *path), (path), due(path, 0), note('U', path, "", 0, 0))
CALLS(remove, (const char *path), (path), due(path, 0), note('U', path, "", 0, 0))
CALLS(mkdir, (const char *path, mode_t mode), (path, mode), due(path, 1), note('D', path, "", 0, 0))

/* Whether an allocation is the one that fails. */
static int short_of(size_t n)
{
    if (how != ENOMEM || !folder[0] || n < LARGE || __sync_add_and_fetch(&count, 1) != due_at)
        return 0;
    errno = ENOMEM;
    return 1;
}

ALLOCATES(void *, malloc, (size_t n), (n), n, NULL)
ALLOCATES(void *, realloc, (void *old, size_t n), (old, n), n, NULL)
ALLOCATES(void *, aligned_alloc, (size_t by, size_t n), (by, n), n, NULL)
ALLOCATES(int, posix_memalign, (void **to, size_t by, size_t n), (to, by, n), n, ENOMEM)
ALLOCATES(void *, mmap, (void *at, size_t n, int may, int flags, int fd, off_t from), (at, n, may, flags, fd, from), n,
          MAP_FAILED)

/* The clock of the machine, a day back from the n-th call on. */
int clock_gettime(clockid_t which, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(which, now);
    if (how == CLOCK && which == CLOCK_REALTIME && due_at && count >= due_at)
        now->tv_sec -= 24 * 60 * 60;
    return result;
}
