// Preloaded, shows a wall clock that is an hour fast until the file named by NB_CLOCK_SET exists: a clock that steps back.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t error(void) {
    const char *file = getenv("NB_CLOCK_SET");
    return file != NULL && access(file, F_OK) == 0 ? 0 : 3600;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (real == NULL) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, time);
    if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += error();
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

// The kernel's clock is not the one shown: in slices, the wait looks again at what is shown.
int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict end) {
    for (;;) {
        struct timespec slice, now;
        clock_gettime(CLOCK_MONOTONIC, &slice);
        slice.tv_nsec += 1000000;
        if (slice.tv_nsec >= 1000000000) {
            slice.tv_sec += 1;
            slice.tv_nsec -= 1000000000;
        }
        if (sem_clockwait(semaphore, CLOCK_MONOTONIC, &slice) == 0) return 0;
        if (errno != ETIMEDOUT) return -1;
        clock_gettime(CLOCK_REALTIME, &now);
        if (now.tv_sec > end->tv_sec || (now.tv_sec == end->tv_sec && now.tv_nsec >= end->tv_nsec)) {
            errno = ETIMEDOUT;
            return -1;
        }
    }
}
