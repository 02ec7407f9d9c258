// A plug-in of QEMU that counts the instructions of each block of code. At the end it writes the process's memory map and, for
// each block that ran, its address, its number of instructions and how often it ran, to the file that COUNTS names.
//
// The declarations are those of qemu-plugin.h, version 1 (QEMU 4.2 and later), which no package of Debian 12 has.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_info_t;
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int operation, void *counter, uint64_t);
void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

enum { most_blocks = 1 << 23, add = 0 };
static struct { uint64_t address, instructions, runs; } *blocks;
static size_t count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void translated(plugin_id id, struct qemu_plugin_tb *block) {
    pthread_mutex_lock(&lock);
    if (count == most_blocks) abort();
    blocks[count].address = qemu_plugin_tb_vaddr(block);
    blocks[count].instructions = qemu_plugin_tb_n_insns(block);
    qemu_plugin_register_vcpu_tb_exec_inline(block, add, &blocks[count].runs, 1);
    count++;
    pthread_mutex_unlock(&lock);
}

static void ended(plugin_id id, void *unused) {
    FILE *out = fopen(getenv("COUNTS"), "w"), *maps = fopen("/proc/self/maps", "r");
    if (!out || !maps) abort();
    char line[4096];
    while (fgets(line, sizeof line, maps)) fprintf(out, "map %s", line);
    for (size_t i = 0; i < count; i++)
        if (blocks[i].runs)
            fprintf(out, "block %lx %lu %lu\n", blocks[i].address, blocks[i].instructions, blocks[i].runs);
    fclose(out);
}

__attribute__((visibility("default"))) int qemu_plugin_install(plugin_id id, const struct qemu_info_t *info, int argc, char **argv) {
    blocks = calloc(most_blocks, sizeof *blocks);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
