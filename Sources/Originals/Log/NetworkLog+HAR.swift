public import Foundation
import Transport

extension NetworkLog {
    /// The log as an HTTP archive, which browsers' developer tools open (HAR 1.2).
    ///
    /// Names that begin with `_` are ours, as the format allows. No body is in it, and a phase that is not
    /// known is -1.
    /// - Parameters:
    ///   - creator: The name of the program.
    ///   - version: The version of the program.
    /// - Returns: The archive as JSON.
    /// - Throws: The error of `JSONEncoder`.
    public func har(creator: String = "Nuke", version: String = "0.2.0") throws -> Data {
        try Self.har(of: entries, creator: creator, version: version)
    }

    /// Returns an HTTP archive of any entries.
    public static func har(of entries: [Entry], creator: String, version: String) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(
            Archive(
                log: .init(
                    creator: .init(name: creator, version: version),
                    entries: entries.map(Archive.Entry.init)
                )
            )
        )
    }
}

/// The required parts of an HTTP archive, and the known optional ones.
private struct Archive: Encodable {
    struct Log: Encodable {
        struct Creator: Encodable {
            let name: String
            let version: String
        }

        let version = "1.2"
        let creator: Creator
        let entries: [Entry]
    }

    struct Field: Encodable {
        let name: String
        let value: String
    }

    struct Request: Encodable {
        let method: String
        let url: String
        let httpVersion: String
        let cookies: [Field] = []
        let headers: [Field]
        let queryString: [Field]
        let headersSize: Int
        let bodySize: Int
    }

    struct Response: Encodable {
        struct Content: Encodable {
            let size: Int
            let mimeType: String
        }

        let status: Int
        let statusText = ""
        let httpVersion: String
        let cookies: [Field] = []
        let headers: [Field]
        let content: Content
        let redirectURL: String
        let headersSize: Int
        let bodySize: Int
    }

    struct Timings: Encodable {
        let blocked, dns, connect, ssl, send, wait, receive: Double
    }

    /// Empty, as the format allows: the log does not know the state of caches.
    struct Cache: Encodable {}

    struct Entry: Encodable {
        let startedDateTime: String
        let time: Double
        let request: Request
        let response: Response
        let cache = Cache()
        let timings: Timings
        let serverIPAddress: String?
        let number: UInt64
        let attempt: Int
        let redirects: Int
        let source: String
        let isConnectionReused: Bool?
        let error: String?

        enum CodingKeys: String, CodingKey {
            case startedDateTime, time, request, response, cache, timings, serverIPAddress
            case number = "_request"
            case attempt = "_attempt"
            case redirects = "_redirects"
            case source = "_source"
            case isConnectionReused = "_connectionReused"
            case error = "_error"
        }
    }

    let log: Log
}

extension Archive.Entry {
    init(_ entry: NetworkLog.Entry) {
        startedDateTime = entry.start.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        request = Archive.Request(entry)
        response = Archive.Response(entry)
        timings = Archive.Timings(entry.timings)
        time = timings.sum
        serverIPAddress = entry.address.isEmpty ? nil : entry.address
        number = entry.request
        attempt = entry.attempt
        redirects = entry.redirects
        source = entry.source.rawValue
        isConnectionReused = entry.isConnectionReused
        error = entry.error
    }
}

extension Archive.Request {
    init(_ entry: NetworkLog.Entry) {
        method = entry.method
        url = entry.url
        httpVersion = entry.protocolName
        headers = entry.requestHeaders.map { Archive.Field(name: $0.name, value: $0.value) }
        queryString =
            URLComponents(string: entry.url)?.queryItems?.map {
                Archive.Field(name: $0.name, value: $0.value ?? "")
            } ?? []
        headersSize = entry.requestHeadBytes ?? -1
        bodySize = entry.requestBodyBytes
    }
}

extension Archive.Response {
    init(_ entry: NetworkLog.Entry) {
        let value = { (name: String) in
            entry.responseHeaders.first { $0.name.lowercased() == name }?.value ?? ""
        }
        // Browsers write 0 if there was no response.
        status = entry.status ?? 0
        httpVersion = entry.protocolName
        headers = entry.responseHeaders.map { Archive.Field(name: $0.name, value: $0.value) }
        content = Content(size: entry.responseBodyBytes, mimeType: value("content-type"))
        redirectURL = value("location")
        headersSize = entry.responseHeadBytes ?? -1
        bodySize = entry.source == .cache ? 0 : entry.responseBodyBytes
    }
}

extension Archive.Timings {
    init(_ timings: NetworkLog.Timings) {
        let milliseconds = { (phase: Duration?) in phase.map { $0 / .milliseconds(1) } ?? -1 }
        blocked = milliseconds(timings.blocked)
        dns = milliseconds(timings.dns)
        connect = milliseconds(timings.connect)
        ssl = milliseconds(timings.ssl)
        // Part of `wait`.
        send = 0
        wait = milliseconds(timings.wait)
        receive = milliseconds(timings.receive)
    }

    /// As the format defines an entry's `time`: without what is -1, and without `ssl`, a part of `connect`.
    var sum: Double { [blocked, dns, connect, send, wait, receive].reduce(0) { $0 + max($1, 0) } }
}
