import Foundation
import FoundationNetworking
import Transport

extension ResponseHead {
    /// Returns Foundation's form of the head: header field names in canonical case, equal ones joined.
    func response(url: URL) -> URLResponse {
        httpResponse(url: url)
            ?? URLResponse(
                url: url,
                mimeType: nil,
                expectedContentLength: contentLength ?? -1,
                textEncodingName: nil
            )
    }

    /// Returns Foundation's form of the head of an HTTP response; nil for another protocol.
    func httpResponse(url: URL) -> HTTPURLResponse? {
        guard status != 0 else { return nil }
        var fields: [String: String] = [:]
        fields.reserveCapacity(headers.count)
        // One that a `Transfer-Encoding` overrides would be taken for that of the body.
        let isLengthOverridden = value(of: "Transfer-Encoding") != nil
        for header in headers {
            let name = Self.canonicalName(header.name)
            if isLengthOverridden, name == "Content-Length" { continue }
            // Only equal lengths may repeat (RFC 9110, section 8.6), so the first says it all.
            if fields[name] != nil {
                // In place: a head may repeat one name thousands of times.
                if name != "Content-Length" { fields[name]?.append(", " + header.value) }
            } else {
                fields[name] = header.value
            }
        }
        return LoadedResponse(url: url, statusCode: status, httpVersion: version, headerFields: fields)
    }

    /// As `Content-Type`, `Etag`: a capital at the beginning of each word.
    static func canonicalName(_ name: String) -> String {
        var isFirst = true
        var isCanonical = true
        for byte in name.utf8 where isCanonical {
            isCanonical = byte == canonical(byte, isFirst)
            isFirst = byte == UInt8(ascii: "-")
        }
        guard !isCanonical else { return name }
        isFirst = true
        let bytes = name.utf8.map { byte -> UInt8 in
            defer { isFirst = byte == UInt8(ascii: "-") }
            return canonical(byte, isFirst)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func canonical(_ byte: UInt8, _ isFirst: Bool) -> UInt8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): isFirst ? byte - 32 : byte
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): isFirst ? byte : byte + 32
        default: byte
        }
    }
}
