package import Files
import Foundation
package import JobManifest

/// The sitemaps of a manifest as they are now: files that are read like lists, for as long as this is kept.
public struct LoadedSitemaps: Sendable {
    /// A sitemap in a file.
    package struct File: Sendable {
        /// The URL that it came from.
        let url: String
        /// The name in errors and locations.
        package let label: String
        /// The path of the file.
        let path: String

        /// Makes it of its parts.
        package init(
            url: String,
            label: String,
            path: String
        ) {
            self.url = url
            self.label = label
            self.path = path
        }

        /// Its bytes, decompressed where they are gzip (RFC 1952), whatever its name.
        package func open() throws(SourceError) -> SitemapParser {
            let file = try FileStream(path: path, name: label)
            let isCompressed = try FileStream(path: path, name: label).begins(with: [0x1F, 0x8B])
            return try SitemapParser(isCompressed ? try GzipStream(file) : file, name: label)
        }
    }

    private var sources: [Int: [File]] = [:]
    private let folder: ScratchFolder?

    /// Of a manifest without sitemaps.
    public init() {
        folder = nil
    }

    /// The files of each source that is a sitemap, some of them in `folder`.
    package init(_ sources: [Int: [File]], in folder: ScratchFolder) {
        self.sources = sources
        self.folder = folder
    }

    /// The folder of a run's sitemaps, beside the state at `path`; the lock of the job is its lock as well.
    package static func path(besideState path: String) -> String {
        (path as NSString).deletingPathExtension + ".sitemaps"
    }

    /// The sitemap that a source names and those that it lists, in this order.
    func files(of source: Int) throws(SourceError) -> [File] {
        guard let files = sources[source] else {
            throw SourceError(file: "sources[\(source)]", message: "its sitemap was not loaded")
        }
        return files
    }

    /// Changes when a sitemap of the source does.
    func digest(of source: Int) throws(SourceError) -> String {
        var digests = ""
        for file in try files(of: source) {
            guard let sha256 = try? ListFingerprint.sha256(path: file.path) else {
                throw SourceError(file: file.label, message: "can no longer be read")
            }
            digests += "\(file.url) \(sha256)\n"
        }
        return Digest.sha256.hex(of: digests)
    }
}

extension Sitemap {
    /// Looks for a sitemap that is a file of this machine; others are looked for when they are loaded.
    func checkFile() throws(SourceError) {
        guard let path = filePath else { return }
        _ = try FileStream(path: path, name: label)
    }

    /// Its path on this machine; nil for one on the web.
    package var filePath: String? {
        URL(string: url).flatMap { $0.isFileURL ? $0.path : nil }
    }
}

extension FileStream {
    fileprivate func begins(with bytes: [UInt8]) throws(SourceError) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { buffer.deallocate() }
        // A regular file, whose first bytes come at once.
        return try read(into: buffer) == bytes.count && buffer.elementsEqual(bytes)
    }
}
