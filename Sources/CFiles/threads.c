#define _GNU_SOURCE
#include "CFiles.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct start {
    char name[16];
    void (*body)(void *);
    void *argument;
};

static void *begin(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    pthread_setname_np(pthread_self(), start.name);
    start.body(start.argument);
    return NULL;
}

int nb_start_thread(const char *name, void (*body)(void *), void *argument) {
    struct start *start = calloc(1, sizeof *start);
    if (start == NULL) return ENOMEM;
    strncpy(start->name, name, sizeof start->name - 1);
    start->body = body;
    start->argument = argument;
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error == 0) {
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        pthread_t thread;
        // A thread that has just ended may still count.
        const struct timespec moment = {.tv_nsec = 5000000};
        for (int tries = 0; tries < 20; tries++) {
            error = pthread_create(&thread, &attributes, begin, start);
            if (error != EAGAIN) break;
            nanosleep(&moment, NULL);
        }
        pthread_attr_destroy(&attributes);
    }
    if (error != 0) free(start);
    return error;
}

int nb_await_signal(sem_t *semaphore, int64_t nanoseconds) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    int64_t sum = end.tv_nsec + nanoseconds % 1000000000;
    end.tv_sec += nanoseconds / 1000000000 + sum / 1000000000;
    end.tv_nsec = sum % 1000000000;
    int result;
    do result = sem_clockwait(semaphore, CLOCK_MONOTONIC, &end);
    while (result != 0 && errno == EINTR);
    return result;
}
