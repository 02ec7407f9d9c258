import CTransport
import Files
import Foundation

/// The libcurl options of a handle and of each request.
extension EasyHandle {
    func setConstantOptions() -> CURLcode {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let callbacks = nb_easy_set_callbacks(
            easy,
            { bytes, size, count, context in
                EasyHandle.from(context).receiveHead(
                    UnsafeRawBufferPointer(start: bytes, count: size * count)
                )
                    ? size * count : 0
            },
            { bytes, size, count, context in
                let handle = EasyHandle.from(context)
                guard !handle.mustPause() else { return Int(CURL_WRITEFUNC_PAUSE) }
                return handle.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
                    ? size * count : 0
            },
            { context, _, address in
                guard let address else { return CURL_SOCKET_BAD }
                return EasyHandle.from(context).openSocket(address)
            },
            { context, _, _, _, _ in
                EasyHandle.from(context).beginRequest() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            },
            context
        )
        let sending = nb_easy_set_body(
            easy,
            { bytes, size, count, context in
                EasyHandle.from(context).readBody(
                    into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
                ) ?? Int(CURL_READFUNC_ABORT)
            },
            { context, offset, origin in
                EasyHandle.from(context).seekBody(to: Int(offset), from: origin)
                    ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
            },
            context
        )
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1),
            (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS)),
            (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            (CURLOPT_TCP_KEEPALIVE, 1),
            (CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
            (CURLOPT_BUFFERSIZE, 64 * 1024),
            // A cancelled transfer must not make the event thread wait for the resolver's.
            (CURLOPT_QUICK_EXIT, 1),
        ]
        let proxy: String? =
            switch configuration.proxy {
            // An empty string disables proxies, whatever the environment says.
            case .none: ""
            case .environment: nil
            case .url(let text): text
            }
        let results = [
            callbacks, sending,
            nb_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorBuffer),
            set(CURLOPT_PROTOCOLS_STR, configuration.schemes.sorted().joined(separator: ",")),
            set(CURLOPT_CAINFO, configuration.trusted.file),
            set(CURLOPT_CAPATH, configuration.trusted.folder),
            set(CURLOPT_PROXY, proxy),
        ]
        let all = numbers.map { nb_easy_set_long(easy, $0, $1) } + results
        return all.first { $0 != CURLE_OK } ?? CURLE_OK
    }

    /// Sets what a request asks for; `waited` of its time has passed.
    func setOptions(of request: TransferRequest, after waited: Duration) -> CURLcode {
        sentHeaders = request.signedHeaders
        let results = [
            set(CURLOPT_URL, request.url),
            // Without this option libcurl delivers the content as it was sent.
            request.decodesContent
                ? set(CURLOPT_ACCEPT_ENCODING, "identity")
                : nb_easy_set_pointer(easy, CURLOPT_ACCEPT_ENCODING, nil),
            setMethod(request.method, body: request.body),
            setHeaders(sentHeaders, hasBody: request.body != nil),
            set(CURLOPT_CONNECTTIMEOUT_MS, request.connectTimeout - waited),
            set(CURLOPT_TIMEOUT_MS, request.totalTimeout - waited),
            nb_easy_set_long(easy, CURLOPT_FRESH_CONNECT, request.usesNewConnection ? 1 : 0),
            // Over a kept FTP connection, libcurl 7.88 at times opens no data connection until the connect timeout.
            nb_easy_set_long(easy, CURLOPT_FORBID_REUSE, request.scheme == "ftp" ? 1 : 0),
            setAuthentication(of: request),
        ]
        return results.first { $0 != CURLE_OK } ?? CURLE_OK
    }

    /// Puts the addresses of the host into libcurl's cache, or leaves the name to libcurl.
    ///
    /// libcurl looks through its whole cache after each transfer, so that entries must go soon. It reads whole seconds, and this
    /// entry is used at once.
    func setAddresses(_ addresses: AddressList?, of request: TransferRequest) -> CURLcode {
        curl_slist_free_all(addressList)
        addressList = nil
        if let addresses {
            addressList = curl_slist_append(nil, "+\(request.host):\(request.port):\(addresses.text)")
            guard addressList != nil else { return CURLE_OUT_OF_MEMORY }
        }
        let result = nb_easy_set_pointer(easy, CURLOPT_RESOLVE, addressList)
        guard result == CURLE_OK else { return result }
        return nb_easy_set_long(easy, CURLOPT_DNS_CACHE_TIMEOUT, addresses == nil ? 60 : 2)
    }

    private func setMethod(_ method: String, body: Payload?) -> CURLcode {
        // Each of the three resets the others.
        nb_easy_set_pointer(easy, CURLOPT_CUSTOMREQUEST, nil)
        nb_easy_set_long(easy, CURLOPT_HTTPGET, 1)
        if method == "HEAD" { return nb_easy_set_long(easy, CURLOPT_NOBODY, 1) }
        if let body {
            nb_easy_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, Int64(body.count))
            // Without fields to copy, libcurl reads the body while it is sent.
            let result =
                body.data?.withUnsafeBytes {
                    nb_easy_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress)
                } ?? nb_easy_set_pointer(easy, CURLOPT_POSTFIELDS, nil)
            guard result == CURLE_OK else { return result }
        }
        return method == "GET" && body == nil ? CURLE_OK : set(CURLOPT_CUSTOMREQUEST, method)
    }

    private func setHeaders(_ headers: [TransferRequest.Header], hasBody: Bool) -> CURLcode {
        // Most requests of a run have the same header fields.
        if headers == headerLines, headerList != nil, !hasBody { return CURLE_OK }
        curl_slist_free_all(headerList)
        headerList = nil
        headerLines = hasBody ? [] : headers
        var lines = headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        // By default, libcurl labels any body as a form.
        if hasBody, !headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            lines.append("Content-Type:")
        }
        for line in lines {
            guard let list = curl_slist_append(headerList, line) else { return CURLE_OUT_OF_MEMORY }
            headerList = list
        }
        return nb_easy_set_pointer(easy, CURLOPT_HTTPHEADER, headerList)
    }

    /// Sets a text; nil leaves the option as it is.
    func set(_ option: CURLoption, _ text: String?) -> CURLcode {
        guard let text else { return CURLE_OK }
        return text.withCString { nb_easy_set_pointer(easy, option, $0) }
    }

    /// Sets a time limit in milliseconds, at least one, because zero means none.
    private func set(_ option: CURLoption, _ limit: Duration) -> CURLcode {
        nb_easy_set_long(easy, option, max(limit.wholeMilliseconds, 1))
    }

    /// The handle behind a callback's context pointer, which is valid as long as its easy handle.
    private static func from(_ context: UnsafeMutableRawPointer?) -> EasyHandle {
        guard let context else { preconditionFailure("libcurl lost a callback's context") }
        return Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up and clamped to libcurl's range of 0 to 23 days.
    var wholeMilliseconds: Int {
        // Computed by hand, because dividing durations is slow and this runs for each transfer.
        let (seconds, attoseconds) = components
        guard seconds < 2_000_000 else { return 2_000_000_000 }
        return Int(max(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000, 0))
    }
}

/// Authentication, which is set for one transfer and cleared after it.
extension EasyHandle {
    func setAuthentication(of request: TransferRequest) -> CURLcode {
        holdsSecrets = request.authentication != nil || request.clientCertificate != nil
        guard holdsSecrets else { return CURLE_OK }
        let results = setAuthentication(request.authentication) + setCertificate(request.clientCertificate)
        return results.first { $0 != CURLE_OK } ?? CURLE_OK
    }

    /// Resets every option, because libcurl also keeps values derived from names and passwords.
    /// - Returns: True if the handle can be reused.
    func forgetSecrets() -> Bool {
        guard holdsSecrets else { return true }
        holdsSecrets = false
        curl_easy_reset(easy)
        (headerLines, sentHeaders) = ([], [])
        curl_slist_free_all(headerList)
        headerList = nil
        return setConstantOptions() == CURLE_OK
    }

    private func setAuthentication(_ authentication: Authentication?) -> [CURLcode] {
        switch authentication {
        case .basic(let user, let password):
            // CURLAUTH_BASIC and the other methods are macros that Swift cannot import.
            [setMethods(1 << 0), set(CURLOPT_USERNAME, user), set(CURLOPT_PASSWORD, password)]
        case .digest(let user, let password):
            [setMethods(1 << 1), set(CURLOPT_USERNAME, user), set(CURLOPT_PASSWORD, password)]
        case .bearer(let token): [setMethods(1 << 6), set(CURLOPT_XOAUTH2_BEARER, token)]
        case .awsSigV4:
            // The signature is among the header fields. Without this, libcurl would remove dot segments of the signed path.
            [nb_easy_set_long(easy, CURLOPT_PATH_AS_IS, 1)]
        case .netrc(let path):
            [nb_easy_set_long(easy, CURLOPT_NETRC, nb_netrc_optional), set(CURLOPT_NETRC_FILE, path)]
        case nil: []
        }
    }

    private func setMethods(_ methods: Int) -> CURLcode {
        nb_easy_set_long(easy, CURLOPT_HTTPAUTH, methods)
    }

    private func setCertificate(_ certificate: ClientCertificate?) -> [CURLcode] {
        [
            set(CURLOPT_SSLCERT, certificate?.certificate),
            set(CURLOPT_SSLCERTTYPE, certificate?.fileType),
            set(CURLOPT_SSLKEY, certificate?.key),
            set(CURLOPT_KEYPASSWD, certificate?.password),
        ]
    }
}
