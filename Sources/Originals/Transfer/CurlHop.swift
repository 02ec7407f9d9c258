import Files
import Foundation
import FoundationNetworking
import ObjectStorage
import Transport

/// One request of a load: its own, or the one that follows a redirect.
struct CurlHop: Sendable {
    var url: URL
    /// The object in an object store that the URL names; nil for URLs of other schemes.
    var object: ObjectLocation?
    var method: String
    /// Sorted by name, so that equal requests are equal.
    var headers: [TransferRequest.Header]
    var body: Data?
    var authentication: Authentication?
    var clientCertificate: ClientCertificate?
    /// The time limit without a byte; nil for that of the host's limits.
    let idleTimeout: Duration?
    let maxRedirects: Int
    /// The time left for this transfer and those after it.
    var remaining: Duration
    /// Method and URL of each hop before.
    var previous: [String] = []
    /// The number of hops that were sent again, this one and those before.
    var repeats = 0
    /// True if a redirect on the way set a cookie, which is not sent back.
    var wasGivenCookie = false
    /// The secrets of the requests before, which the redirects may have led into this one.
    var carried = RequestSecrets()
    /// True to use a new connection, because a kept one was closed.
    var usesNewConnection = false
    /// True to take the content as it is sent, because it does not have the coding that the response names.
    var takesContentAsSent = false

    /// The number of transfers of the load before this one.
    var number: Int { previous.count + repeats }

    /// True if the request may be sent again although the server may have received it (RFC 9110, section 9.2.2).
    var isIdempotent: Bool { ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method) }

    /// The same request once more, changed by `change`, after a transfer of `time` that did not lead to the answer.
    func resent(after time: Duration, _ change: (inout CurlHop) -> Void = { _ in }) -> CurlHop {
        var hop = self
        hop.repeats += 1
        hop.remaining -= time
        change(&hop)
        return hop
    }

    /// The key of this hop among those of a load; each may occur once.
    var key: String { method + " " + url.absoluteString }
}

extension CurlDataLoader {
    /// The first hop of a load.
    /// - Throws: ``DataLoadingError`` if the request cannot be sent.
    func firstHop(_ request: URLRequest) throws(DataLoadingError) -> CurlHop {
        guard let url = request.url?.absoluteURL else {
            throw DataLoadingError(.badURL, url: nil, "the request has no URL")
        }
        guard request.httpBodyStream == nil else {
            throw DataLoadingError(.protocol, url: url, "a body stream cannot be sent; use httpBody")
        }
        let limits = own(hosts, for: url) ?? configuration.limits
        // 60 is the default of URLRequest.
        let timeout = request.timeoutInterval
        let headers = headers(of: request, limits)
        return CurlHop(
            url: url,
            object: try object(of: url),
            method: request.httpMethod ?? "GET",
            headers: headers,
            body: request.httpBody,
            authentication: Self.authentication(limits, headers),
            clientCertificate: limits.clientCertificate,
            idleTimeout: timeout == 60 ? nil : .seconds(timeout),
            maxRedirects: limits.maxRedirects,
            remaining: limits.totalTimeout
        )
    }

    /// The hop after `hop`, which took `time` and was redirected.
    /// - Throws: ``DataLoadingError`` for too many redirects, and for one that must not be followed.
    func hop(
        after hop: CurlHop,
        status: Int,
        location: String,
        time: Duration,
        setsCookie: Bool = false,
        carried: RequestSecrets = RequestSecrets()
    ) throws(DataLoadingError) -> CurlHop {
        var next = try Redirect.next(after: hop, status: status, location: location)
        next.carried = carried
        next.previous.append(hop.key)
        next.remaining -= time
        next.usesNewConnection = false
        next.wasGivenCookie = hop.wasGivenCookie || setsCookie
        let wall =
            next.wasGivenCookie
            ? ": the server sets a cookie and redirects until it gets it back, but no cookies are kept; load another URL, or send "
                + "the header field Cookie" : ""
        guard !next.previous.contains(next.key) else {
            throw DataLoadingError(.redirects, url: next.url, "the redirects lead in a circle\(wall)")
        }
        guard next.previous.count <= hop.maxRedirects else {
            throw DataLoadingError(
                .redirects,
                url: next.url,
                "more than \(hop.maxRedirects) \(hop.maxRedirects == 1 ? "redirect" : "redirects")\(wall)"
            )
        }
        // Limits for every host may be meant for the first one alone; those set for this host are its own.
        if !Redirect.isSameOrigin(hop.url, next.url), let own = own(hosts, for: next.url) {
            next.headers = Self.merged(next.headers, with: own.headers)
            next.authentication = Self.authentication(own, next.headers)
            next.clientCertificate = own.clientCertificate
        }
        return next
    }

    /// Returns the request for the transport.
    /// - Throws: ``DataLoadingError`` if the hops before took all the time there was.
    func transferRequest(_ hop: CurlHop) throws(DataLoadingError) -> TransferRequest {
        let text = hop.url.absoluteString
        var result = TransferRequest(
            url: text.containsASCII("#") ? String(text.prefix { $0 != "#" }) : text,
            host: hop.url.host?.lowercased() ?? "",
            method: hop.method,
            headers: hop.headers,
            body: hop.body
        )
        result.authentication = hop.authentication
        result.carried = hop.carried
        result.clientCertificate = hop.clientCertificate
        try setLimits(of: &result, hop)
        return result
    }

    /// Sets the limits of a hop's request, and the form of its content.
    /// - Throws: ``DataLoadingError`` if the hops before took all the time there was.
    func setLimits(of result: inout TransferRequest, _ hop: CurlHop) throws(DataLoadingError) {
        guard hop.remaining > .zero else {
            throw DataLoadingError(.timeout, url: hop.url, "the redirects took too long", isTransient: true)
        }
        let limits = own(hosts, for: hop.url) ?? configuration.limits
        // A part of an encoded whole cannot be decoded.
        result.decodesContent = !hop.takesContentAsSent && !hop.headers.contains { $0.isNamed("Range") }
        result.connectTimeout = limits.connectTimeout
        result.idleTimeout = hop.idleTimeout ?? limits.timeout
        result.totalTimeout = hop.remaining
        result.maximumBytes = limits.maxBytes
        result.bandwidths = [bandwidth, own(bandwidths, for: hop.url)].compactMap(\.self)
        result.usesNewConnection = hop.usesNewConnection
    }

    /// Returns the value that was set for the host of `url` alone, by its name with or without its port; nil without one.
    private func own<Value>(_ values: [String: Value], for url: URL) -> Value? {
        guard !values.isEmpty else { return nil }
        return values[HostRateLimiter.host(of: url)] ?? values[HostName.comparable(url.host ?? "")]
    }

    /// Returns the limits' credentials, unless the request has its own `Authorization`.
    private static func authentication(
        _ limits: Limits,
        _ headers: [TransferRequest.Header]
    ) -> Authentication? {
        guard let authentication = limits.authentication else { return nil }
        return headers.contains { $0.name.lowercased() == "authorization" } ? nil : authentication
    }

    private func headers(of request: URLRequest, _ limits: Limits) -> [TransferRequest.Header] {
        let own = request.allHTTPHeaderFields ?? [:]
        if own.isEmpty, configuration.hosts.isEmpty { return headersWithoutOwn }
        return Self.headers(own, configuration, limits: limits)
    }

    /// Returns the header fields of a request: its own, then those of the limits, then those of every request.
    static func headers(
        _ own: [String: String],
        _ configuration: Configuration,
        limits: Limits
    ) -> [TransferRequest.Header] {
        let headers = merged(own.map { TransferRequest.Header($0.key, $0.value) }, with: limits.headers)
        return merged(headers, with: ["User-Agent": configuration.userAgent])
    }

    private static func merged(
        _ headers: [TransferRequest.Header],
        with others: [String: String]
    ) -> [TransferRequest.Header] {
        let names = Set(headers.map { $0.name.lowercased() })
        let added = others.filter { !names.contains($0.key.lowercased()) }
        return (headers + added.map { TransferRequest.Header($0.key, $0.value) }).sorted { $0.name < $1.name }
    }
}
