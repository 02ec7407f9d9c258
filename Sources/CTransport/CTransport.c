#define _GNU_SOURCE
#include "CTransport.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

int nb_ares_keep_no_answers(struct ares_options *options) {
#ifdef ARES_OPT_QUERY_CACHE
    options->qcache_max_ttl = 0;
    return ARES_OPT_QUERY_CACHE;
#else
    (void)options;
    return 0;
#endif
}

int nb_contains(const void *bytes, size_t count, const void *part, size_t part_count) {
    return memmem(bytes, count, part, part_count) != NULL;
}

CURLcode nb_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode nb_easy_set_offset(CURL *easy, CURLoption option, int64_t value) {
    return curl_easy_setopt(easy, option, (curl_off_t)value);
}

CURLcode nb_easy_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode nb_easy_set_callbacks(CURL *easy, nb_data_callback head, nb_data_callback body,
                               nb_socket_callback open_socket, nb_request_callback begin, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, begin);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
    return code;
}

CURLcode nb_easy_set_body(CURL *easy, nb_data_callback read, nb_seek_callback seek, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, read);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_READDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
    return code;
}

CURLMcode nb_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

CURLMcode nb_multi_set_callbacks(CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer,
                                 void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return code;
}

static int64_t offset_of(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? (int64_t)value : 0;
}

static long long_of(CURL *easy, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

void nb_easy_get_facts(CURL *easy, struct nb_transfer_facts *facts) {
    facts->name_lookup = offset_of(easy, CURLINFO_NAMELOOKUP_TIME_T);
    facts->connect = offset_of(easy, CURLINFO_CONNECT_TIME_T);
    facts->tls = offset_of(easy, CURLINFO_APPCONNECT_TIME_T);
    facts->first_byte = offset_of(easy, CURLINFO_STARTTRANSFER_TIME_T);
    facts->total = offset_of(easy, CURLINFO_TOTAL_TIME_T);
    facts->body_bytes = offset_of(easy, CURLINFO_SIZE_DOWNLOAD_T);
    facts->uploaded_bytes = offset_of(easy, CURLINFO_SIZE_UPLOAD_T);
    facts->head_bytes = long_of(easy, CURLINFO_HEADER_SIZE);
    facts->request_bytes = long_of(easy, CURLINFO_REQUEST_SIZE);
    facts->http_version = long_of(easy, CURLINFO_HTTP_VERSION);
    facts->opened_connections = long_of(easy, CURLINFO_NUM_CONNECTS);
    facts->os_error = long_of(easy, CURLINFO_OS_ERRNO);
    facts->peer_port = long_of(easy, CURLINFO_PRIMARY_PORT);
    facts->response_code = long_of(easy, CURLINFO_RESPONSE_CODE);
    facts->connect_code = long_of(easy, CURLINFO_HTTP_CONNECTCODE);
    facts->proxy_error = long_of(easy, CURLINFO_PROXY_ERROR);
    char *peer = NULL;
    facts->peer_address = curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &peer) == CURLE_OK && peer ? peer : "";
}

int nb_address_bytes(const struct curl_sockaddr *address, uint8_t bytes[16]) {
    if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
        memcpy(bytes, &((const struct sockaddr_in *)&address->addr)->sin_addr, 4);
        return 4;
    }
    if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
        memcpy(bytes, &((const struct sockaddr_in6 *)(const void *)&address->addr)->sin6_addr, 16);
        return 16;
    }
    return 0;
}

int nb_parse_address(const char *text, uint8_t bytes[16]) {
    if (inet_pton(AF_INET, text, bytes) == 1) return 4;
    return inet_pton(AF_INET6, text, bytes) == 1 ? 16 : 0;
}

int nb_address_text(const struct sockaddr *address, char text[NB_ADDRESS_TEXT]) {
    const void *bytes = NULL;
    if (address->sa_family == AF_INET) bytes = &((const struct sockaddr_in *)(const void *)address)->sin_addr;
    if (address->sa_family == AF_INET6) bytes = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    return bytes && inet_ntop(address->sa_family, bytes, text, NB_ADDRESS_TEXT) ? 0 : -1;
}

int nb_has_route(const struct sockaddr *address) {
    int descriptor = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return 0;
    // A port is needed, but a datagram socket sends nothing to connect.
    union {
        struct sockaddr any;
        struct sockaddr_in ipv4;
        struct sockaddr_in6 ipv6;
    } peer = {0};
    socklen_t size = address->sa_family == AF_INET6 ? sizeof peer.ipv6 : sizeof peer.ipv4;
    memcpy(&peer, address, size);
    if (address->sa_family == AF_INET6) {
        peer.ipv6.sin6_port = htons(443);
    } else {
        peer.ipv4.sin_port = htons(443);
    }
    int result = connect(descriptor, &peer.any, size);
    close(descriptor);
    return result == 0;
}

int nb_wakeup_create(void) {
    return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

int nb_poll_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

int nb_poll_set(int poll, int descriptor, int events) {
    struct epoll_event event = {.data.fd = descriptor};
    if (events & CURL_POLL_IN) event.events |= EPOLLIN;
    if (events & CURL_POLL_OUT) event.events |= EPOLLOUT;
    // Most are new: libcurl has the socket of a kept connection removed after each transfer.
    if (epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) == 0) return 0;
    return errno == EEXIST ? epoll_ctl(poll, EPOLL_CTL_MOD, descriptor, &event) : -1;
}

void nb_poll_remove(int poll, int descriptor) {
    epoll_ctl(poll, EPOLL_CTL_DEL, descriptor, NULL);
}

int nb_poll_wait(int poll, struct nb_poll_event *events, int capacity, int milliseconds) {
    struct epoll_event ready[64];
    int count = epoll_wait(poll, ready, capacity < 64 ? capacity : 64, milliseconds);
    for (int index = 0; index < count; index++) {
        events[index].descriptor = ready[index].data.fd;
        events[index].events = (ready[index].events & EPOLLIN ? CURL_CSELECT_IN : 0)
                               | (ready[index].events & EPOLLOUT ? CURL_CSELECT_OUT : 0);
        // A broken connection is detected by reading from it.
        if (events[index].events == 0) events[index].events = CURL_CSELECT_IN;
    }
    return count > 0 ? count : 0;
}
