import Files
import Foundation

/// A name that has come from a store and was parsed: no other text becomes a part of a key or of a path.
package protocol StoredName: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The form of such a name, for messages.
    static var form: String { get }
    /// Parses a text; nil for one of another form.
    init?(parsing text: some StringProtocol)
}

extension StoredName {
    /// Reads the name from a string of JSON.
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let name = Self(parsing: text) else {
            let message = "is not \(Self.form)"
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: message)
            )
        }
        self = name
    }

    /// Writes the name as a string of JSON.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The SHA-256 of something, as 64 hexadecimal digits in lower case.
package struct SHA256Name: StoredName {
    package static let form = "64 hexadecimal digits in lower case"

    /// The digits.
    package let description: String

    /// Parses the digits.
    package init?(parsing text: some StringProtocol) {
        let isDigit = { (byte: UInt8) in
            (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
        }
        guard text.utf8.count == 2 * Digest.sha256.size, text.utf8.allSatisfy(isDigit) else { return nil }
        description = String(text)
    }

    init(of data: Data) {
        description = Digest.sha256.hex(of: data)
    }

    /// Creates the name of a digest of 32 bytes.
    init(digest: Data) {
        precondition(digest.count == Digest.sha256.size, "SHA-256 has 32 bytes")
        description = Digest.hex(digest)
    }

    /// The 32 bytes of the digest.
    var bytes: Data {
        let digits = Array(description.utf8).map { $0 < 0x3A ? $0 - 0x30 : $0 - 0x61 + 10 }
        return Data(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    /// The first 16 digits, which name a plan for people and in folders.
    package var short: String { String(decoding: description.utf8.prefix(16), as: UTF8.self) }
}

/// The ID of an attempt at a partition: a UUID in lower case (RFC 9562).
struct AttemptID: StoredName {
    static let form = "a UUID in lower case"

    let description: String

    /// Creates an ID that no other attempt has.
    init() {
        description = UUID().uuidString.lowercased()
    }

    init?(parsing text: some StringProtocol) {
        let text = String(text)
        guard text == text.lowercased(), UUID(uuidString: text) != nil else { return nil }
        description = text
    }
}

/// The path of an output below the destination: no part of it leads elsewhere.
struct OutputName: StoredName {
    static let form = "a path below the destination"
    /// The most bytes of a path (limits.h, PATH_MAX).
    private static let longest = 4096

    let description: String

    init?(parsing text: some StringProtocol) {
        let parts = String(text).parts(at: "/")
        guard text.utf8.count <= Self.longest, !text.utf8.contains(0),
            parts.allSatisfy({ !["", ".", ".."].contains($0) })
        else { return nil }
        description = String(text)
    }
}
