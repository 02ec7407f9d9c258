// What an item must cost: the same transfers, durable files and rows as a run of nuke-batch, in C and in one thread.
//
// Loads COUNT tiny files over HTTP with curl_multi, 64 at a time. Each 128 of them are written and recorded together, as a
// run does: FILES files an item (a run writes the cached original and the output), unnamed at first, synced as a whole file
// system and then named; and a row an item in each of DATABASES databases (a run has its state and the cache's index), in
// one transaction with synchronous=FULL. Prints the CPU time a second and third of user and kernel, as JSON.
// Without a URL it only writes the files: the kernel's cost of creating one, with nothing else.
// usage: floor COUNT FILES DATABASES NEW_FOLDER [URL]
#define _GNU_SOURCE
#include <curl/curl.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIDTH = 64, BATCH = 128, FOLDERS = 256, MOST = 2, BODY = 4096, URL = 512 };

struct item {
    int number;
    size_t size;
    char url[URL], body[BODY];
};

static int root, folders[MOST][FOLDERS], files, databases;
static sqlite3 *opened[MOST];
static sqlite3_stmt *inserts[MOST];
static struct item batch[BATCH];
static int batched;

static void require(int condition, const char *what) {
    if (condition) return;
    perror(what);
    exit(1);
}

static size_t take(char *bytes, size_t size, size_t count, void *context) {
    struct item *item = context;
    if (item->size + size * count > BODY) return 0;
    memcpy(item->body + item->size, bytes, size * count);
    item->size += size * count;
    return size * count;
}

static void open_folder(const char *path) {
    char name[URL];
    require(mkdir(path, 0755) == 0, path);
    require((root = open(path, O_RDONLY | O_DIRECTORY)) >= 0, path);
    for (int kind = 0; kind < files; kind++)
        for (int index = 0; index < FOLDERS; index++) {
            snprintf(name, sizeof name, "%d-%02x", kind, index);
            require(mkdirat(root, name, 0755) == 0, name);
            require((folders[kind][index] = openat(root, name, O_RDONLY | O_DIRECTORY)) >= 0, name);
        }
    for (int index = 0; index < databases; index++) {
        snprintf(name, sizeof name, "%s/%d.sqlite", path, index);
        require(sqlite3_open(name, &opened[index]) == SQLITE_OK, name);
        const char *schema = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                             "CREATE TABLE item(number INTEGER PRIMARY KEY, url TEXT, size INT);"
                             "CREATE INDEX item_by_url ON item(url)";
        require(sqlite3_exec(opened[index], schema, 0, 0, 0) == SQLITE_OK, name);
        const char *insert = "INSERT INTO item(url, size, number) VALUES (?, ?, ?)";
        require(sqlite3_prepare_v2(opened[index], insert, -1, &inserts[index], 0) == SQLITE_OK, name);
    }
}

static void write_files(void) {
    static int descriptors[MOST][BATCH];
    char from[40], name[20];
    for (int kind = 0; kind < files; kind++)
        for (int index = 0; index < batched; index++) {
            const struct item *item = &batch[index];
            int file = openat(folders[kind][item->number % FOLDERS], ".", O_TMPFILE | O_WRONLY, 0644);
            require(file >= 0 && write(file, item->body, item->size) == (ssize_t)item->size, "write");
            descriptors[kind][index] = file;
        }
    require(syncfs(root) == 0, "syncfs");
    for (int kind = 0; kind < files; kind++)
        for (int index = 0; index < batched; index++) {
            int folder = folders[kind][batch[index].number % FOLDERS];
            snprintf(from, sizeof from, "/proc/self/fd/%d", descriptors[kind][index]);
            snprintf(name, sizeof name, "%d", batch[index].number);
            require(linkat(AT_FDCWD, from, folder, name, AT_SYMLINK_FOLLOW) == 0, "linkat");
            close(descriptors[kind][index]);
        }
    require(syncfs(root) == 0, "syncfs");
}

static void write_rows(void) {
    for (int database = 0; database < databases; database++) {
        sqlite3_stmt *insert = inserts[database];
        require(sqlite3_exec(opened[database], "BEGIN IMMEDIATE", 0, 0, 0) == SQLITE_OK, "begin");
        for (int index = 0; index < batched; index++) {
            sqlite3_bind_text(insert, 1, batch[index].url, -1, SQLITE_STATIC);
            sqlite3_bind_int64(insert, 2, (sqlite3_int64)batch[index].size);
            sqlite3_bind_int(insert, 3, batch[index].number);
            require(sqlite3_step(insert) == SQLITE_DONE, "insert");
            sqlite3_reset(insert);
        }
        require(sqlite3_exec(opened[database], "COMMIT", 0, 0, 0) == SQLITE_OK, "commit");
    }
}

static void finish_batch(void) {
    if (files && batched) write_files();
    if (batched) write_rows();
    batched = 0;
}

static void finish(const struct item *item) {
    batch[batched++] = *item;
    if (batched == BATCH) finish_batch();
}

static void start(CURLM *multi, CURL *easy, struct item *item, int number, const char *url) {
    item->number = number;
    item->size = 0;
    snprintf(item->url, sizeof item->url, "%s?%d", url, number);
    curl_easy_setopt(easy, CURLOPT_URL, item->url);
    curl_multi_add_handle(multi, easy);
}

static void load(int count, const char *url) {
    static struct item items[WIDTH];
    int started = 0, done = 0;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    for (; started < WIDTH && started < count; started++) {
        CURL *easy = curl_easy_init();
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &items[started]);
        curl_easy_setopt(easy, CURLOPT_PRIVATE, &items[started]);
        start(multi, easy, &items[started], started, url);
    }
    while (done < count) {
        int running = 0, remaining = 0;
        curl_multi_perform(multi, &running);
        for (CURLMsg *message; (message = curl_multi_info_read(multi, &remaining));) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL *easy = message->easy_handle;
            long status = 0;
            struct item *item;
            curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&item);
            require(message->data.result == CURLE_OK && status == 200, "transfer");
            finish(item);
            done++;
            curl_multi_remove_handle(multi, easy);
            if (started < count) start(multi, easy, item, started++, url);
            else curl_easy_cleanup(easy);
        }
        if (done < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    finish_batch();
}

static void create(int count) {
    static struct item item = {.size = 67};
    for (item.number = 0; item.number < count; item.number++) finish(&item);
    finish_batch();
}

int main(int argc, char **argv) {
    if (argc < 5) return 2;
    const int count = atoi(argv[1]);
    files = atoi(argv[2]);
    databases = atoi(argv[3]);
    if (count < 1 || files < 0 || files > MOST || databases < 0 || databases > MOST) return 2;
    open_folder(argv[4]);
    if (argc > 5) load(count, argv[5]);
    else create(count);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"user\": %.2f, \"kernel\": %.2f}\n",
           (usage.ru_utime.tv_sec * 1e6 + usage.ru_utime.tv_usec) / count,
           (usage.ru_stime.tv_sec * 1e6 + usage.ru_stime.tv_usec) / count);
    return 0;
}
