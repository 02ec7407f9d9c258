// Tells the thread sanitizer what Swift's uninstrumented libraries order: locks that were waited for, continuations, and
// values that are copied when they are written to.
//
// The quick way through Synchronization.Mutex is inlined into our code, where the sanitizer sees its atomics. The slow
// one, for a lock that somebody holds, is in Swift's library, which is not instrumented: what one thread wrote under the
// lock and the next one reads would be reported as a race. Loaded with LD_PRELOAD, these functions stand before the
// library's and say what they order. A continuation that is resumed before its task waits for it goes on at once on the
// task's thread, without a word to the sanitizer of what the resuming thread has written before: it is resumed a little
// later. A value that was copied out of a lock shares its memory with the original until it is released; who finds the
// original's reference to be the only one then writes to that memory, ordered by the count of references alone.
//
// They say nothing of what is not ordered, so real races are reported as ever; Tests/Sanitizers/run holds it to both.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Of the sanitizer's runtime; absent in programs that are built without it.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

SWIFT void lock_slow(uint32_t thread, SELF self) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF self) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF self) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF self) {
    SWIFT void (*real)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
    real(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool try_lock_slow(SELF self) {
    SWIFT bool (*real)(SELF) = dlsym(RTLD_NEXT, TRY_LOCK);
    bool isLocked = real(self);
    if (isLocked && __tsan_acquire) __tsan_acquire(self);
    return isLocked;
}

SWIFT void unlock_slow(SELF self) {
    SWIFT void (*real)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(self);
    real(self);
}

// Of the runtime's layout (swift/ABI/Task.h): a task's context while it is suspended, and in that of a continuation
// whether it is waited for. The control fails if they are elsewhere.
#define RESUME_CONTEXT 64
#define AWAIT_STATUS 24
#define PENDING 0

extern SWIFT void *swift_task_getCurrent(void) __attribute__((weak));

// Lets the task come to its wait: from there on it is resumed through a queue, which the sanitizer sees. A task that
// resumes itself has nothing to hand over; after 200 milliseconds it goes on as it is.
static void wait_until_awaited(void *task) {
    if (!swift_task_getCurrent || swift_task_getCurrent() == task) return;
    char *context = *(char **)((char *)task + RESUME_CONTEXT);
    _Atomic uintptr_t *status = (_Atomic uintptr_t *)(context + AWAIT_STATUS);
    for (int round = 0; round < 10000 && atomic_load(status) == PENDING; round++) usleep(20);
}

SWIFT void swift_continuation_resume(void *task) {
    SWIFT void (*real)(void *) = dlsym(RTLD_NEXT, __func__);
    wait_until_awaited(task);
    real(task);
}

SWIFT void swift_continuation_throwingResume(void *task) {
    SWIFT void (*real)(void *) = dlsym(RTLD_NEXT, __func__);
    wait_until_awaited(task);
    real(task);
}

SWIFT void swift_continuation_throwingResumeWithError(void *task, void *error) {
    SWIFT void (*real)(void *, void *) = dlsym(RTLD_NEXT, __func__);
    wait_until_awaited(task);
    real(task, error);
}

// A checked continuation calls the two above inside its library; it refers to an object that holds the task.
#define RESUME_RETURNING "$sScC6resume9returningyxn_tF"
#define RESUME_THROWING "$sScC6resume8throwingyq_n_tF"
#define HELD_TASK 16

SWIFT void resume_returning(void *result, void *type, SELF checked) __asm__(RESUME_RETURNING);
SWIFT void resume_throwing(void *error, void *type, SELF checked) __asm__(RESUME_THROWING);

static void resume_checked(const char *name, void *result, void *type, void *checked) {
    SWIFT void (*real)(void *, void *, SELF) = dlsym(RTLD_NEXT, name);
    void *task = atomic_load((_Atomic(void *) *)(*(char **)checked + HELD_TASK));
    // None: it was resumed before, which the library reports.
    if (task) wait_until_awaited(task);
    real(result, type, checked);
}

SWIFT void resume_returning(void *result, void *type, SELF checked) {
    resume_checked(RESUME_RETURNING, result, type, checked);
}

SWIFT void resume_throwing(void *error, void *type, SELF checked) {
    resume_checked(RESUME_THROWING, error, type, checked);
}

extern size_t swift_retainCount(void *) __attribute__((weak));

// What a reference was used for comes before what is done by whoever has the last one. These are called so often that what
// stands behind them is looked up once.
static void note_use(void *object) {
    if (object && __tsan_release && swift_retainCount(object) > 1) __tsan_release(object);
}

void swift_release(void *object) {
    static _Atomic(void (*)(void *)) known;
    void (*real)(void *) = known ? known : (known = dlsym(RTLD_NEXT, __func__));
    note_use(object);
    real(object);
}

void swift_release_n(void *object, uint32_t count) {
    static _Atomic(void (*)(void *, uint32_t)) known;
    void (*real)(void *, uint32_t) = known ? known : (known = dlsym(RTLD_NEXT, __func__));
    note_use(object);
    real(object, count);
}

bool swift_isUniquelyReferenced_nonNull_native(void *object) {
    static _Atomic(bool (*)(void *)) known;
    bool (*real)(void *) = known ? known : (known = dlsym(RTLD_NEXT, __func__));
    bool isUnique = real(object);
    if (isUnique && __tsan_acquire) __tsan_acquire(object);
    return isUnique;
}
