// The parts of libcurl that Swift cannot call: variadic functions, with a typed function for each kind of argument; and c-ares.
// libcurl reports errors by return values, never by longjmp, so its callbacks may be Swift functions.
#pragma once

#include <ares.h>
#include <curl/curl.h>
#include <stdint.h>

// Constants that are macros in some versions of the libraries and enumerators in others, which Swift imports as different
// types. (libcurl since 8.14, c-ares since 1.2x)
static const long nb_netrc_optional = CURL_NETRC_OPTIONAL;
static const int nb_ares_success = ARES_SUCCESS;
static const int nb_ares_no_data = ARES_ENODATA;
static const int nb_ares_not_found = ARES_ENOTFOUND;
static const int nb_ares_bad_name = ARES_EBADNAME;
static const int nb_ares_no_name = ARES_ENONAME;
static const int nb_ares_destruction = ARES_EDESTRUCTION;
static const int nb_ares_cancelled = ARES_ECANCELLED;

// Switches off c-ares' own cache of answers, where it has one (1.31), and returns the bit for the mask of options.
int nb_ares_keep_no_answers(struct ares_options *options);

// Loads libcurl, in builds that load it when it is needed; must come before its first function. Returns NULL, or why it cannot
// be loaded.
const char *nb_curl_load(void);

typedef size_t (*nb_data_callback)(char *bytes, size_t size, size_t count, void *context);
typedef curl_socket_t (*nb_socket_callback)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*nb_seek_callback)(void *context, curl_off_t offset, int origin);
typedef int (*nb_request_callback)(void *context, char *peer, char *own, int peer_port, int own_port);

CURLcode nb_easy_set_long(CURL *easy, CURLoption option, long value);
CURLcode nb_easy_set_offset(CURL *easy, CURLoption option, int64_t value);
CURLcode nb_easy_set_pointer(CURL *easy, CURLoption option, const void *value);

// Sets the callbacks for head lines, the body, opening a socket, and the start of a request.
CURLcode nb_easy_set_callbacks(CURL *easy, nb_data_callback head, nb_data_callback body,
                               nb_socket_callback open_socket, nb_request_callback begin, void *context);

// Sets the callbacks that read the body of a request, and go back in it (CURLOPT_READFUNCTION, CURLOPT_SEEKFUNCTION).
CURLcode nb_easy_set_body(CURL *easy, nb_data_callback read, nb_seek_callback seek, void *context);

CURLMcode nb_multi_set_long(CURLM *multi, CURLMoption option, long value);

// Sets the callbacks that report which sockets to watch, and when to call libcurl without an event.
CURLMcode nb_multi_set_callbacks(CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer,
                                 void *context);

// libcurl's data on a transfer. Times are microseconds since its start, 0 for a stage that did not happen.
struct nb_transfer_facts {
    int64_t name_lookup, connect, tls, first_byte, total;
    int64_t body_bytes, head_bytes, request_bytes, uploaded_bytes;
    long http_version, opened_connections, os_error, peer_port, response_code;
    // The status of a proxy's answer to CONNECT, and its CURLproxycode; 0 without one.
    long connect_code, proxy_error;
    // Owned by the handle, valid until its next transfer; never NULL.
    const char *peer_address;
};
void nb_easy_get_facts(CURL *easy, struct nb_transfer_facts *facts);

// Copies the bytes of an IPv4 or IPv6 address. Returns 4 or 16, or 0 for another address family.
int nb_address_bytes(const struct curl_sockaddr *address, uint8_t bytes[16]);

// Parses the text form of an address as inet_pton does. Returns 4 or 16, or 0 if it is invalid.
int nb_parse_address(const char *text, uint8_t bytes[16]);

// The longest text of an address, with its final zero.
#define NB_ADDRESS_TEXT 46

// Writes the text form of an IPv4 or IPv6 address. Returns 0, or -1 for another address family.
int nb_address_text(const struct sockaddr *address, char text[NB_ADDRESS_TEXT]);

// Returns 1 if this machine has a route to an address; sends nothing.
int nb_has_route(const struct sockaddr *address);

// Creates an eventfd, non-blocking and closed on exec. Returns -1 with errno on failure.
int nb_wakeup_create(void);

// Creates an epoll set, closed on exec. Returns -1 with errno on failure.
int nb_poll_create(void);

// Watches a descriptor for CURL_POLL_IN and CURL_POLL_OUT, replacing earlier settings. Returns 0, or -1 with errno.
int nb_poll_set(int poll, int descriptor, int events);
void nb_poll_remove(int poll, int descriptor);

// A descriptor with CURL_CSELECT_IN, CURL_CSELECT_OUT or both.
struct nb_poll_event {
    int descriptor, events;
};

// Waits for events for at most `milliseconds`. Returns their number, also 0 after a signal.
int nb_poll_wait(int poll, struct nb_poll_event *events, int capacity, int milliseconds);

/// 1 if the bytes hold the part, otherwise 0.
int nb_contains(const void *bytes, size_t count, const void *part, size_t part_count);
