/// The status and header fields of a response.
public struct ResponseHead: Sendable {
    /// The status code; 0 for FTP, which has none.
    public var status: Int
    /// The protocol version, such as `HTTP/1.1` or `HTTP/2`.
    public var version: String
    /// The header fields in order, with names as sent.
    public var headers: [TransferRequest.Header]
    /// What the request carried, and nothing that is kept of the answer may repeat.
    package private(set) var carried = RequestSecrets()

    /// Creates a head.
    init(status: Int, version: String, headers: [TransferRequest.Header]) {
        (self.status, self.version, self.headers) = (status, version, headers)
    }

    /// Hides what repeats a secret of the request, and remembers these for the body.
    mutating func hide(_ secrets: RequestSecrets) {
        guard !secrets.isEmpty else { return }
        carried = secrets
        headers = secrets.hidden(headers)
    }

    /// True for a status of success (RFC 9110, section 15.3).
    package var isSuccess: Bool { (200..<300).contains(status) }

    /// The value of the first field with this name, ignoring case; nil if there is none.
    public func value(of name: String) -> String? {
        headers.first { $0.isNamed(name) }?.value
    }

    /// The values of all fields with this name, joined with commas (RFC 9110, section 5.2); nil if there is none.
    ///
    /// Only equal lengths may repeat (section 8.6), so the first says it all.
    package func joinedValue(of name: String) -> String? {
        guard let first = headers.firstIndex(where: { $0.isNamed(name) }) else { return nil }
        var value = headers[first].value
        guard !headers[first].isNamed("Content-Length") else { return value }
        for header in headers[(first + 1)...] where header.isNamed(name) { value += ", " + header.value }
        return value
    }

    /// The declared length of the body; nil if it is missing or not a number, and where a `Transfer-Encoding` overrides it (RFC
    /// 9112, section 6.3).
    public var contentLength: Int? {
        guard value(of: "Transfer-Encoding") == nil else { return nil }
        return value(of: "Content-Length").flatMap { Self.length($0) }
    }

    /// True if the Content-Length fields, or the list in one of them, differ or hold something else than a length
    /// (RFC 9112, section 6.3).
    ///
    /// libcurl takes the first number of a list, and none where a number exceeds 64 bits.
    var hasContradictingLengths: Bool {
        let lengths = headers.lazy.filter { $0.isNamed("Content-Length") }
            .flatMap { $0.value.split(separator: ",", omittingEmptySubsequences: false) }
            .map { Self.length($0.trimmingPrefix { $0 == " " || $0 == "\t" }) }
        guard let first = lengths.first else { return false }
        return first == nil || lengths.contains { $0 != first }
    }

    /// Returns a length, which has digits alone (RFC 9110, section 8.6); nil for any other text, and above 63 bits.
    private static func length(_ text: some StringProtocol) -> Int? {
        text.utf8.allSatisfy { IPAddress.isDigit($0) } ? Int(text) : nil
    }
}

/// Assembles a head from the lines that libcurl passes.
struct HeadReader {
    /// The most bytes in a head, which bounds floods of header fields.
    static let limit = 256 * 1024

    private var head = ResponseHead(status: 0, version: "", headers: [])
    private var bytes = 0
    private(set) var isComplete = false

    enum Step {
        case more
        case complete(ResponseHead)
        case tooLong
    }

    /// Takes the next line, including its line break.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Step {
        bytes += line.count
        guard bytes <= Self.limit else { return .tooLong }
        // Lines after the head are trailers, which are ignored (RFC 9110, section 6.5.1).
        guard !isComplete else { return .more }
        var end = line.count
        while end > 0, Self.isBlank(line[end - 1]) { end -= 1 }
        if end == 0 { return finish() }
        if line.starts(with: "HTTP/".utf8) {
            start(String(decoding: line[..<end], as: UTF8.self))
        } else if Self.isBlank(line[0]) {
            // A folded line continues the previous value (RFC 9112, section 5.2).
            guard let last = head.headers.indices.last else { return .more }
            head.headers[last].value += " " + Self.text(line[..<end].drop(while: Self.isBlank))
        } else if let colon = line[..<end].firstIndex(of: UInt8(ascii: ":")) {
            let name = Self.text(line[..<colon])
            let value = line[(colon + 1)..<end].drop(while: Self.isBlank)
            head.headers.append(TransferRequest.Header(name, Self.value(value, of: name)))
        }
        return .more
    }

    private mutating func start(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 2)
        let status = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        head = ResponseHead(status: status, version: String(parts[0]), headers: [])
        // As many fields as most answers have.
        head.headers.reserveCapacity(16)
    }

    /// Ends a head.
    ///
    /// An interim response (1xx) is followed by another head.
    private mutating func finish() -> Step {
        if (100..<200).contains(head.status) && head.status != 101 { return .more }
        isComplete = true
        return .complete(head)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 32 || byte == 9 || byte == 10 || byte == 13
    }

    /// The value of a field; bytes of a `Location` that are not UTF-8 are percent-encoded, since they name another resource as text.
    private static func value(_ bytes: Slice<UnsafeRawBufferPointer>, of name: String) -> String {
        guard name.utf8.count == 8, name.lowercased() == "location",
            String(validating: bytes, as: UTF8.self) == nil
        else {
            return text(bytes)
        }
        return bytes.map { $0 < 0x80 ? String(Unicode.Scalar($0)) : PercentEncoding.encoded([$0]) }.joined()
    }

    /// The bytes as UTF-8, or as Latin-1 if they are not valid UTF-8 (RFC 9110, section 5.5).
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        // Nearly every field is ASCII, and to validate it takes much longer.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        return String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
