// A wall clock that is wrong, for a program that is started with this library preloaded
// (`cc -shared -fPIC -o clock.so clock.c`): the file that NB_CLOCK names holds the seconds to add, and is read at each
// call. The monotonic clocks stay right. Who waits for a wall time with pthread_cond_timedwait or sem_timedwait waits by the
// wrong clock, as the kernel would let it.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift(void) {
    const char *path = getenv("NB_CLOCK");
    char text[32] = "";
    int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0) : -1;
    if (file < 0) return 0;
    if (syscall(SYS_read, file, text, sizeof text - 1) < 0) text[0] = 0;
    syscall(SYS_close, file);
    return atol(text);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += shift();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int result = (int)syscall(SYS_gettimeofday, now, zone);
    if (result == 0) now->tv_sec += shift();
    return result;
}

time_t time(time_t *now) {
    struct timespec value;
    clock_gettime(CLOCK_REALTIME, &value);
    if (now) *now = value.tv_sec;
    return value.tv_sec;
}

// Whether a deadline is one of the wall clock: of the others, none has come to 2001 yet.
static int is_wall_time(const struct timespec *deadline) {
    return deadline->tv_sec > 1000000000;
}

// The end of the next 20 ms by the true clock, in which the wrong one may jump; 0 once the deadline has passed.
static int next_slice(const struct timespec *deadline, struct timespec *end) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (now.tv_sec > deadline->tv_sec || (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec)) return 0;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, end);
    end->tv_nsec += 20000000;
    if (end->tv_nsec >= 1000000000) end->tv_sec += 1, end->tv_nsec -= 1000000000;
    return 1;
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict deadline) {
    if (!is_wall_time(deadline)) return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, deadline);
    struct timespec end;
    while (next_slice(deadline, &end)) {
        int result = pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &end);
        if (result != ETIMEDOUT) return result;
    }
    return ETIMEDOUT;
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
    struct timespec end;
    while (next_slice(deadline, &end)) {
        int result = sem_clockwait(semaphore, CLOCK_MONOTONIC, &end);
        if (result == 0 || errno != ETIMEDOUT) return result;
    }
    if (sem_trywait(semaphore) == 0) return 0;
    errno = ETIMEDOUT;
    return -1;
}
