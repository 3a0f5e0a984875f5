/* What does a process do to a folder, call by call, and what if it is killed at the n-th?

Loaded before the C library (LD_PRELOAD), it sees each call that changes something below one folder: of Python and of
SQLite alike. It counts them, writes each into a log, and at a call that was chosen beforehand it kills the process: a
write is then done by half. Reading is not its business, and the calls themselves are the C library's own.

    CRASH_UNDER   the folder, as an absolute path; without it nothing is watched
    CRASH_LOG     the log to which each call is appended; without it none is written
    CRASH_AT      the number of the call that kills, from 1; without it none does

    CRASH_CLOCK   seconds by which the clock on the wall is wrong, and
    CRASH_JUMP    seconds after the start, from when on it is

A process that forks arms itself anew with crash_arm() and crash_clock(); crash_note() puts a mark into the log.
*/
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
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MOST_FILES 4096 /* open at once; a crawl holds some dozens */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* What stands in the log before the names and the bytes; recording.py reads the same. */
struct head {
    uint8_t kind;
    uint8_t unused;
    uint16_t name, other; /* lengths */
    uint16_t unused_too;
    uint64_t offset, length;
};

static char under[PATH_MAX];
static char *names[MOST_FILES]; /* by descriptor; NULL where the file is none of ours */
static long countdown;
static int log_file = -1;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

void crash_arm(const char *folder, const char *log, long at) {
    snprintf(under, sizeof under, "%s", folder ? folder : "");
    log_file = log && *log ? REAL(open)(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
    countdown = at;
}

static long number(const char *name) {
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

static long wrong_by;
static time_t wrong_from; /* on the clock that only goes forward */

void crash_clock(long by, long after) {
    struct timespec now;
    REAL(clock_gettime)(CLOCK_MONOTONIC, &now);
    wrong_from = now.tv_sec + after;
    wrong_by = by;
}

__attribute__((constructor)) static void begin(void) {
    crash_arm(getenv("CRASH_UNDER"), getenv("CRASH_LOG"), number("CRASH_AT"));
    crash_clock(number("CRASH_CLOCK"), number("CRASH_JUMP"));
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    __auto_type real = REAL(clock_gettime);
    struct timespec forward;
    int done = real(clock, now);
    if (done || clock != CLOCK_REALTIME || !wrong_by) return done;
    real(CLOCK_MONOTONIC, &forward);
    if (forward.tv_sec >= wrong_from) now->tv_sec += wrong_by;
    return done;
}

static int watched(const char *name) {
    size_t length = strlen(under);
    return length && !strncmp(name, under, length) && (name[length] == '/' || !name[length]);
}

/* Write the absolute name into `full` and return it, or NULL where it is not below the folder. */
static const char *whole(int folder, const char *name, char *full) {
    if (!*under || !name) return NULL;
    if (*name == '/') snprintf(full, PATH_MAX, "%s", name);
    else if (folder >= 0 && folder < MOST_FILES && names[folder]) snprintf(full, PATH_MAX, "%s/%s", names[folder], name);
    else return NULL;
    return watched(full) ? full : NULL;
}

static void put(char kind, const char *name, const char *other, uint64_t offset, const void *bytes, uint64_t length) {
    if (log_file < 0) return;
    struct head head = {.kind = kind, .name = strlen(name), .other = other ? strlen(other) : 0,
                        .offset = offset, .length = length};
    struct iovec parts[] = {{&head, sizeof head}, {(void *)name, head.name}, {(void *)other, head.other},
                            {(void *)bytes, bytes ? length : 0}};
    if (REAL(writev)(log_file, parts, 4) < 0) abort();
}

void crash_note(const char *text) { put('A', text, NULL, 0, NULL, 0); }

/* Count a call that is about to happen; return whether it is the one to die at. */
static int fatal(void) { return countdown > 0 && --countdown == 0; }

static void die(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

/* Note a call, then do it: within the lock, so that the log has the order of the calls. */
#define DO(kind, name, other, offset, bytes, length, half, call) do { \
        int saved; \
        pthread_mutex_lock(&turn); \
        if (fatal()) { half; die(); } \
        put(kind, name, other, offset, bytes, length); \
        __auto_type done = call; \
        saved = errno; \
        pthread_mutex_unlock(&turn); \
        errno = saved; \
        return done; \
    } while (0)

#define NAME(file) ((file) >= 0 && (file) < MOST_FILES ? names[file] : NULL)

/* -- opening and closing -------------------------------------------------------------------------------------- */

static int opened(int file, const char *full, int made, int flags) {
    if (file < 0 || file >= MOST_FILES) return file;
    pthread_mutex_lock(&turn);
    free(names[file]);
    names[file] = strdup(full);
    if (made || (flags & O_TRUNC)) {
        if (fatal()) die(); /* made, and nothing in it */
        put(made ? 'c' : 't', full, NULL, 0, NULL, 0);
    }
    pthread_mutex_unlock(&turn);
    return file;
}

#define OPENS(function, parameters, folder, real) \
    int function parameters { \
        char full[PATH_MAX]; \
        int mode = 0; \
        if (flags & (O_CREAT | __O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, int); va_end(rest); } \
        const char *ours = whole(folder, name, full); \
        int made = ours && (flags & O_CREAT) && access(full, F_OK); \
        int file = real; \
        return ours ? opened(file, full, made, flags) : file; \
    }

OPENS(open, (const char *name, int flags, ...), -1, REAL(open)(name, flags, mode))
OPENS(open64, (const char *name, int flags, ...), -1, REAL(open64)(name, flags, mode))
OPENS(openat, (int folder, const char *name, int flags, ...), folder, REAL(openat)(folder, name, flags, mode))
OPENS(openat64, (int folder, const char *name, int flags, ...), folder, REAL(openat64)(folder, name, flags, mode))

int close(int file) {
    if (NAME(file)) { free(names[file]); names[file] = NULL; }
    return REAL(close)(file);
}

/* -- content -------------------------------------------------------------------------------------------------- */

ssize_t write(int file, const void *bytes, size_t length) {
    __auto_type real = REAL(write);
    if (!NAME(file)) return real(file, bytes, length);
    uint64_t end = fcntl(file, F_GETFL) & O_APPEND ? lseek(file, 0, SEEK_END) : lseek(file, 0, SEEK_CUR);
    DO('w', names[file], NULL, end, bytes, length, real(file, bytes, length / 2), real(file, bytes, length));
}

#define WRITES_AT(function, place) \
    ssize_t function(int file, const void *bytes, size_t length, place offset) { \
        __auto_type real = REAL(function); \
        if (!NAME(file)) return real(file, bytes, length, offset); \
        DO('w', names[file], NULL, offset, bytes, length, real(file, bytes, length / 2, offset), \
           real(file, bytes, length, offset)); \
    }
WRITES_AT(pwrite, off_t)
WRITES_AT(pwrite64, off64_t)

#define TRUNCATES(function, place) \
    int function(int file, place length) { \
        __auto_type real = REAL(function); \
        if (!NAME(file)) return real(file, length); \
        DO('t', names[file], NULL, 0, NULL, length, (void)0, real(file, length)); \
    }
TRUNCATES(ftruncate, off_t)
TRUNCATES(ftruncate64, off64_t)

/* A synchronisation is in the log once it is done: not before does anybody rely on it. */
#define SYNCS(function) \
    int function(int file) { \
        __auto_type real = REAL(function); \
        if (!NAME(file)) return real(file); \
        pthread_mutex_lock(&turn); \
        if (fatal()) die(); \
        int done = real(file); \
        if (!done) put('s', names[file], NULL, 0, NULL, 0); \
        pthread_mutex_unlock(&turn); \
        return done; \
    }
SYNCS(fsync)
SYNCS(fdatasync)

/* -- names ---------------------------------------------------------------------------------------------------- */

#define ONE_NAME(kind, function, parameters, folder, arguments) \
    int function parameters { \
        char full[PATH_MAX]; \
        __auto_type real = REAL(function); \
        if (!whole(folder, name, full) || access(full, F_OK) != (kind == 'm' ? -1 : 0)) return real arguments; \
        DO(kind, full, NULL, 0, NULL, 0, (void)0, real arguments); \
    }
ONE_NAME('u', unlink, (const char *name), -1, (name))
ONE_NAME('u', unlinkat, (int folder, const char *name, int flags), folder, (folder, name, flags))
ONE_NAME('u', rmdir, (const char *name), -1, (name))
ONE_NAME('m', mkdir, (const char *name, mode_t mode), -1, (name, mode))

int rename(const char *name, const char *other) {
    char from[PATH_MAX], to[PATH_MAX];
    __auto_type real = REAL(rename);
    if (!whole(-1, name, from) || !whole(-1, other, to)) return real(name, other);
    DO('r', from, to, 0, NULL, 0, (void)0, real(name, other));
}
