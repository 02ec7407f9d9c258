public import Foundation

extension LoopbackServer {
    /// A response, or a way to misbehave.
    public struct Response: Sendable {
        /// The body and its framing.
        public enum Body: Sendable {
            /// These bytes, with their `Content-Length`.
            case data(Data)
            /// These pieces in order, with the `Content-Length` of them all.
            case pieces([Data])
            /// These pieces, each as one chunk of the chunked encoding.
            case chunked([Data])
            /// `count` bytes of a file from `offset` on, with their `Content-Length`.
            case file(path: String, offset: Int, count: Int)
            /// These bytes with a different `Content-Length`. The connection closes after them.
            case truncated(Data, declaredLength: Int)
            /// These chunks without the final empty one. The connection closes after them.
            case truncatedChunks([Data])
            /// These bytes without any length. The end of the connection ends them.
            case unframed(Data)
            /// These bytes every 0.2 ms, without a length, until the client disconnects.
            case endless(Data)
            /// These raw bytes instead of a whole response, including the head. The connection closes after them.
            case raw(Data)
            /// No bytes: the connection closes.
            case nothing
            /// No bytes: the connection is reset (TCP RST).
            case reset
            /// These bytes with the declared length, then a reset (TCP RST).
            case resetAfter(Data, declaredLength: Int)
        }

        /// A moment while a response is sent.
        public enum Moment: Sendable, Equatable {
            /// Before the first byte.
            case beforeHead
            /// After the status line, before the header fields.
            case insideHead
            /// Before the piece or chunk of this number, from 0.
            case beforePiece(Int)
        }

        /// The status code, such as 200.
        public var status: Int
        /// Header fields.
        ///
        /// `Content-Length` and `Transfer-Encoding` are added as the body requires.
        public var headers: [(name: String, value: String)]
        /// The body.
        public var body: Body
        /// Called on the connection's thread at each moment of sending.
        ///
        /// It may block to delay the response.
        public var hold: (@Sendable (Moment) -> Void)?

        /// Creates a response.
        public init(
            status: Int = 200,
            headers: [(name: String, value: String)] = [],
            body: Body = .data(Data()),
            hold: (@Sendable (Moment) -> Void)? = nil
        ) {
            self.status = status
            self.headers = headers
            self.body = body
            self.hold = hold
        }

        /// `data` with status 200 and its media type.
        public static func data(_ data: Data, type: String = "application/octet-stream") -> Response {
            Response(headers: [("Content-Type", type)], body: .data(data))
        }

        /// A status with a one-line text body.
        public static func status(_ status: Int, headers: [(name: String, value: String)] = []) -> Response {
            Response(
                status: status,
                headers: headers + [("Content-Type", "text/plain")],
                body: .data(Data("\(status) \(reasonPhrase(of: status))\n".utf8))
            )
        }

        /// A redirect to `location`.
        public static func redirect(to location: String, status: Int = 302) -> Response {
            .status(status, headers: [("Location", location)])
        }

        /// 429 with `Retry-After` in seconds.
        public static func tooManyRequests(retryAfter seconds: Int) -> Response {
            .status(429, headers: [("Retry-After", String(seconds))])
        }

        /// `data` as a resource with an entity tag.
        ///
        /// Honours `If-None-Match`, `Range` and `If-Range`.
        public static func resource(
            _ data: Data,
            type: String = "application/octet-stream",
            etag: String,
            for request: Request
        ) -> Response {
            resource(type: type, etag: etag, size: data.count, for: request) { range in
                .data(
                    range.count == data.count
                        ? data : Data(data.dropFirst(range.lowerBound).prefix(range.count))
                )
            }
        }

        static func resource(
            type: String,
            etag: String,
            size: Int,
            for request: Request,
            body: (Range<Int>) -> Body
        ) -> Response {
            let headers = [("Content-Type", type), ("ETag", etag), ("Accept-Ranges", "bytes")]
            switch ByteRange.requested(by: request, size: size, etag: etag) {
            case .notModified: return Response(status: 304, headers: [("ETag", etag)])
            case .whole: return Response(headers: headers, body: body(0..<size))
            case .part(let range):
                let described = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
                return Response(
                    status: 206,
                    headers: headers + [("Content-Range", described)],
                    body: body(range)
                )
            case .unsatisfiable: return .status(416, headers: [("Content-Range", "bytes */\(size)")])
            }
        }

        static func reasonPhrase(of status: Int) -> String {
            switch status {
            case 200: "OK"
            case 204: "No Content"
            case 206: "Partial Content"
            case 301: "Moved Permanently"
            case 302: "Found"
            case 304: "Not Modified"
            case 307: "Temporary Redirect"
            case 400: "Bad Request"
            case 401: "Unauthorized"
            case 403: "Forbidden"
            case 404: "Not Found"
            case 405: "Method Not Allowed"
            case 409: "Conflict"
            case 411: "Length Required"
            case 412: "Precondition Failed"
            case 413: "Content Too Large"
            case 416: "Range Not Satisfiable"
            case 429: "Too Many Requests"
            case 500: "Internal Server Error"
            case 501: "Not Implemented"
            case 503: "Service Unavailable"
            default: "Status"
            }
        }
    }
}

/// The bytes of a resource that a request asks for (RFC 9110, sections 13 and 14).
enum ByteRange {
    case notModified
    case whole
    case part(Range<Int>)
    case unsatisfiable

    /// `modified` is the resource's `Last-Modified`, if `If-Range` may name it.
    static func requested(
        by request: LoopbackServer.Request,
        size: Int,
        etag: String,
        modified: String? = nil
    ) -> ByteRange {
        if let known = request.headers["if-none-match"], known == "*" || known.contains(etag) {
            return .notModified
        }
        guard let range = request.headers["range"], range.hasPrefix("bytes="), !range.contains(",") else {
            return .whole
        }
        if let validator = request.headers["if-range"], validator != modified,
            validator != etag || etag.hasPrefix("W/")
        {
            return .whole
        }
        let bounds = range.dropFirst("bytes=".count).components(separatedBy: "-")
        guard bounds.count == 2 else { return .whole }
        switch (Int(bounds[0]), Int(bounds[1])) {
        case (let first?, let last?) where first <= last && first < size:
            return .part(first..<min(last, size - 1) + 1)
        case (let first?, nil) where bounds[1].isEmpty && first < size: return .part(first..<size)
        case (nil, let suffix?) where bounds[0].isEmpty && suffix > 0 && size > 0:
            return .part(max(0, size - suffix)..<size)
        case (_?, _), (nil, _?): return .unsatisfiable
        default: return .whole
        }
    }
}
