package import Foundation
import ObjectStorage
import Transport

/// URLs of objects in object stores, `s3://bucket/key`, whose keys are taken as they are.
extension ItemURL {
    /// The longest key in bytes (Amazon S3 User Guide, "Naming Amazon S3 objects").
    private static let longestKey = 1024

    /// The header field that keeps an item's version among those that are part of its identity; the version is sent in the
    /// query (Amazon S3 API Reference, "GetObject").
    package static let versionHeader = "x-amz-version-id"

    /// Returns the URL of a load; nil for a text that is none, and for the name of a bucket alone.
    ///
    /// The version among `headers` moves into the URL of an object.
    package static func loadable(_ target: String, headers: inout [String: String]) -> URL? {
        guard isObject(target) else { return URL(encoded: (try? WebURL(target))?.description ?? target) }
        guard let url = ObjectLocation(target)?.url else { return nil }
        guard let version = headers.removeValue(forKey: versionHeader) else { return url }
        return url.appending(queryItems: [URLQueryItem(name: "versionId", value: version)])
    }

    /// Returns true if a stored URL names an object.
    package static func isObject(_ url: String) -> Bool { ObjectLocation.isLocation(url) }

    /// Checks a relative path of a row: a key below a prefix, whose parts `.` and `..` are taken out as those of a path.
    static func object(
        _ text: UnsafeBufferPointer<UInt8>,
        below prefix: ObjectLocation,
        schemes: Set<String>
    ) -> Checked {
        guard UTF8Check.validCount(of: text) == text.count else {
            return bad(encoded(text), "the key is not UTF-8")
        }
        let path = FilePath.absolute(String(decoding: text, as: UTF8.self), in: "/" + prefix.key)
        var url = ObjectLocation(bucket: prefix.bucket, key: String(path.utf8.dropFirst()) ?? "").description
        return url.withUTF8 { object($0, schemes: schemes) }
    }

    /// Checks `s3://bucket/key`; nothing in the key is percent-encoded, and `?` and `#` belong to it.
    static func object(_ text: UnsafeBufferPointer<UInt8>, schemes: Set<String>) -> Checked {
        func bad(_ message: String) -> Checked {
            Self.bad(encoded(text), message)
        }
        guard UTF8Check.validCount(of: text) == text.count else { return bad("the key is not UTF-8") }
        guard !text.contains(where: { ByteKind.table[Int($0)] == .control }) else {
            // The rest of the key stays as it is, as that of every other object.
            return Self.bad(Variables.escaped(encodedControls(text)), "the key holds a control character")
        }
        let rest = text.dropFirst("s3:".utf8.count)
        guard rest.starts(with: "//".utf8) else { return bad("// should follow the scheme") }
        let bucket = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
        let key = rest.dropFirst(2 + bucket.count + 1)
        if let problem = ObjectLocation.problem(ofBucket: String(decoding: bucket, as: UTF8.self)) {
            return bad(problem)
        }
        guard !key.isEmpty else { return bad("the key is missing: write s3://bucket/key") }
        guard key.count <= longestKey else { return bad("the key is longer than \(longestKey) bytes") }
        // A key may look like a variable, which is expanded in stored URLs.
        let stored = Variables.escaped(String(decoding: text, as: UTF8.self))
        return Checked(url: stored, problem: schemeProblem("s3", schemes))
    }
}
