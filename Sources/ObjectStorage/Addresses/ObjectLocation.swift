public import Foundation
import Transport

/// A key in a bucket of an object store, or a prefix of keys, as `s3://bucket/key` names it.
///
/// The key is taken as it is: nothing in it is percent-encoded, and `?` and `#` belong to it.
public struct ObjectLocation: Sendable, Hashable {
    /// The bucket.
    public var bucket: String
    /// The key, or the prefix; empty for the bucket itself.
    public var key: String

    /// Creates a location from its parts.
    public init(bucket: String, key: String) {
        (self.bucket, self.key) = (bucket, key)
    }

    /// Creates a location from `s3://bucket/key`; nil for any other text, and for an invalid bucket.
    public init?(_ text: String) {
        guard let rest = Self.afterScheme(text) else { return nil }
        let bucket = String(rest.prefix { $0 != "/" })
        guard Self.problem(ofBucket: bucket) == nil else { return nil }
        self.init(bucket: bucket, key: String(rest.dropFirst(bucket.unicodeScalars.count + 1)))
    }

    /// Creates a location from a URL, whose key is percent-encoded; nil for one of another scheme.
    public init?(url: URL) {
        guard let rest = Self.afterScheme(url.absoluteString) else { return nil }
        let bucket = String(rest.prefix { !"/?#".unicodeScalars.contains($0) })
        let path = rest.dropFirst(bucket.unicodeScalars.count + 1).prefix { $0 != "?" && $0 != "#" }
        guard Self.problem(ofBucket: bucket) == nil, let key = String(path).removingPercentEncoding else {
            return nil
        }
        self.init(bucket: bucket, key: key)
    }

    /// The location as a URL, whose key is percent-encoded; nil for an invalid bucket.
    public var url: URL? { URL(string: "s3://\(bucket)/\(PercentEncoding.encoded(key, keeping: "/"))") }

    /// The location below this prefix, with a slash between.
    public func appending(_ key: String) -> ObjectLocation {
        let separator = self.key.isEmpty || self.key.hasSuffix("/") ? "" : "/"
        return ObjectLocation(bucket: bucket, key: self.key + separator + key)
    }

    /// Returns true if `text` begins with `s3://`, in any case.
    public static func isLocation(_ text: String) -> Bool {
        afterScheme(text) != nil
    }

    /// Returns the reason why a text is no bucket's name; nil if it may be one.
    ///
    /// Names of 3 to 63 lower-case letters, digits, dots and hyphens are valid everywhere (Amazon S3 User Guide, "General
    /// purpose bucket naming rules"); older buckets and other stores also use capital letters and underscores.
    public static func problem(ofBucket name: some StringProtocol) -> String? {
        guard !name.isEmpty else { return "the bucket is missing: write s3://bucket/key" }
        let isValid =
            name.utf8.count <= 255
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
        guard isValid else {
            return "the bucket has characters other than letters, digits, dots, hyphens and underscores"
        }
        // `.` and `..` would be steps in a path.
        return name.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
            ? "the bucket has no letter and no digit" : nil
    }

    /// Returns the text behind the scheme; by scalars, since a combining mark may follow a slash in a key.
    private static func afterScheme(_ text: String) -> Substring.UnicodeScalarView? {
        // Lists have millions of URLs, nearly all of other schemes.
        guard let first = text.utf8.first, first | 0x20 == UInt8(ascii: "s"),
            text.utf8.dropFirst().starts(with: "3://".utf8)
        else { return nil }
        return text.unicodeScalars.dropFirst(5)
    }
}

extension ObjectLocation: CustomStringConvertible {
    /// The location as `s3://bucket/key`.
    public var description: String { "s3://\(bucket)/\(key)" }
}
