import Foundation
package import ObjectStorage
import Transport

/// A text that names a place for files: a path of this machine, or a key in a bucket.
package enum WrittenPlace: Sendable, Hashable {
    /// A path as written, or the absolute path of a `file:` URL.
    case path(String)
    /// The object `s3://bucket/key`, or a prefix of keys.
    case object(ObjectLocation)

    /// Creates the place that a text names; a text that does not look like a URL is a path.
    /// - Throws: ``TextError`` for every other URL than `s3://bucket/key` and `file:///path`.
    package init(_ text: String) throws(TextError) {
        guard let scheme = Self.scheme(of: text) else {
            self = .path(text)
            return
        }
        switch scheme {
        case "s3": self = .object(try Self.location(text))
        case "file": self = .path(try Self.path(ofFile: text))
        case "http", "https": throw Self.web(text)
        default:
            let remedy = ItemURL.otherStores[scheme].map { "; \($0)" } ?? ""
            throw TextError(
                "has the scheme \"\(scheme)\", which is not supported: name a path of this "
                    + "machine or s3://bucket/prefix\(remedy)"
            )
        }
    }

    /// True for a bucket without a key.
    package var isWholeBucket: Bool {
        if case .object(let location) = self { location.key.isEmpty } else { false }
    }

    /// Returns the scheme of a text that looks like a URL, in lower case; nil for a path, which may hold a colon, too.
    private static func scheme(of text: String) -> String? {
        if ItemURL.isURL(text) { return String(text.utf8.prefix { $0 != UInt8(ascii: ":") })?.lowercased() }
        // With one slash or none, only what can hardly be the name of a folder.
        return (["s3", "file", "http", "https"] + ItemURL.otherStores.keys).first { scheme in
            text.utf8.count > scheme.utf8.count
                && String(text.utf8.prefix(scheme.utf8.count + 1))?.lowercased() == scheme + ":"
        }
    }

    private static func location(_ text: String) throws(TextError) -> ObjectLocation {
        if let location = ObjectLocation(text) { return location }
        let rest = text.unicodeScalars.dropFirst("s3:".count)
        guard ObjectLocation.isLocation(text) else {
            let name = String(rest.drop { $0 == "/" })
            throw TextError(
                "should have two slashes behind \"s3:\": write s3://\(name.isEmpty ? "bucket/prefix" : name)"
            )
        }
        let bucket = String(rest.dropFirst(2).prefix { $0 != "/" })
        let problem = ObjectLocation.problem(ofBucket: bucket)
        throw TextError("names no bucket: \(problem ?? "write s3://bucket/prefix")")
    }

    private static func path(ofFile text: String) throws(TextError) -> String {
        let checked = ItemURL.check(text, folder: "/", schemes: ["file"])
        if let problem = checked.problem { throw TextError("is no path: \(problem.message)") }
        guard let url = URL(encoded: checked.url), url.query == nil, url.fragment == nil, !url.path.isEmpty
        else { throw TextError("is no path: write ? as %3F and # as %23, or the path without file://") }
        return url.path
    }

    /// Returns the error of a URL of the web, with the name of the object if it is one of Amazon S3.
    private static func web(_ text: String) -> TextError {
        if let location = amazonObject(text) {
            return TextError("is a URL of the web: write \(location)")
        }
        return TextError(
            "is a URL of the web: name a path of this machine, or s3://bucket/prefix with the address of "
                + "the service in storage.s3.endpoint"
        )
    }

    /// Returns the object that a URL of Amazon S3 names, whose host or path begins with the bucket; nil for other URLs.
    ///
    /// Source: Amazon S3 User Guide, "Virtual hosting of general purpose buckets".
    private static func amazonObject(_ text: String) -> ObjectLocation? {
        let hosts = /^(?:(?<bucket>.+?)\.)?s3(?:[.\-][a-z0-9.\-]+)?\.amazonaws\.com(?:\.cn)?$/
        guard let url = URLComponents(string: text), let match = url.host?.lowercased().wholeMatch(of: hosts)
        else { return nil }
        let path = String(url.path.unicodeScalars.drop { $0 == "/" })
        let bucket = match.output.bucket.map { "\($0)/" } ?? ""
        return ObjectLocation("s3://\(bucket)\(path)")
    }
}
