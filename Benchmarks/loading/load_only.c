// Loads one URL many times with bare curl_multi and counts the bytes: the floor of what Benchmarks/loading times.
// usage: load_only URL COUNT WIDTH
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static size_t count_bytes(char *bytes, size_t size, size_t count, void *total) {
    (void)bytes;
    *(size_t *)total += size * count;
    return size * count;
}

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double wall_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static void start(CURLM *multi, CURL *easy, const char *url, int number) {
    char numbered[1024];
    snprintf(numbered, sizeof numbered, "%s?%d", url, number);
    curl_easy_setopt(easy, CURLOPT_URL, numbered);
    curl_multi_add_handle(multi, easy);
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    const int count = atoi(argv[2]), width = atoi(argv[3]);
    size_t bytes = 0;
    int started = 0, done = 0;
    const double cpu = cpu_seconds(), wall = wall_seconds();
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    for (; started < width && started < count; started++) {
        CURL *easy = curl_easy_init();
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        // What the loader sets as well, and faster than curl's 16 kB.
        curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 64 * 1024L);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count_bytes);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &bytes);
        start(multi, easy, argv[1], started);
    }
    while (done < count) {
        int running = 0, remaining = 0;
        curl_multi_perform(multi, &running);
        for (CURLMsg *message; (message = curl_multi_info_read(multi, &remaining));) {
            if (message->msg != CURLMSG_DONE) continue;
            long status = 0;
            CURL *easy = message->easy_handle;
            curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
            if (message->data.result != CURLE_OK || status != 200) return 1;
            done++;
            curl_multi_remove_handle(multi, easy);
            if (started < count) start(multi, easy, argv[1], started++);
            else curl_easy_cleanup(easy);
        }
        if (done < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    printf("{\"bytes\": %zu, \"cpu\": %.6f, \"wall\": %.6f}\n", bytes, cpu_seconds() - cpu, wall_seconds() - wall);
    return 0;
}
