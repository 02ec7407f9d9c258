package import Files
import Foundation
package import JobManifest

/// The current sitemaps of a manifest, in files that are read like lists and exist as long as this value.
public struct LoadedSitemaps: Sendable {
    /// A sitemap in a file.
    package struct File: Sendable {
        /// The URL that it is listed by.
        let url: String
        /// The URL that answered, from which relative addresses start (RFC 3986, section 5.1.3).
        let base: String
        /// The name in errors and locations.
        package let label: String
        /// The path of the file.
        let path: String

        init(url: String, base: String? = nil, label: String, path: String) {
            (self.url, self.base, self.label, self.path) = (url, base ?? url, label, path)
        }

        /// Opens it, and decompresses it if it is gzip (RFC 1952), regardless of its name.
        package func open() throws(SourceError) -> SitemapParser {
            let file = try FileStream(path: path, name: label, mustBeRegular: true)
            let isCompressed = try FileStream(path: path, name: label).begins(with: [0x1F, 0x8B])
            return try SitemapParser(isCompressed ? try GzipStream(file, name: label) : file, name: label)
        }
    }

    private var sources: [Int: [File]] = [:]
    private let folder: ScratchFolder?

    /// Creates the value for a manifest without sitemaps.
    public init() {
        folder = nil
    }

    /// Creates the value from the files of each sitemap source; some of them are in `folder`.
    package init(_ sources: [Int: [File]], in folder: ScratchFolder) {
        self.sources = sources
        self.folder = folder
    }

    /// Returns the folder of a run's sitemaps, beside the state at `path`; the job's lock also protects it.
    package static func path(besideState path: String) -> String {
        (path as NSString).deletingPathExtension + ".sitemaps"
    }

    /// Returns the sitemap of a source, followed by the sitemaps that it lists.
    func files(of source: Int) throws(SourceError) -> [File] {
        guard let files = sources[source] else {
            throw SourceError("sources[\(source)]", "its sitemap was not loaded")
        }
        return files
    }

    /// Returns a digest that changes when a sitemap of the source changes, or a redirect leads to another URL.
    func digest(of source: Int) throws(SourceError) -> String {
        var digests = ""
        for file in try files(of: source) {
            guard let sha256 = try? ListFingerprint.sha256(path: file.path) else {
                throw SourceError(file.label, "can no longer be read")
            }
            let places = file.base == file.url ? file.url : "\(file.url) \(file.base)"
            digests += "\(places) \(sha256)\n"
        }
        return Digest.sha256.hex(of: digests)
    }
}

extension Sitemap {
    /// Checks that a local sitemap exists; remote ones are checked when they are loaded.
    func checkFile() throws(SourceError) {
        guard let path = filePath else { return }
        _ = try FileStream(path: path, name: label, mustBeRegular: true)
    }

    /// The path of a local sitemap; nil for a remote one.
    package var filePath: String? { ItemURL.path(ofFile: url) }
}

extension FileStream {
    fileprivate func begins(with bytes: [UInt8]) throws(SourceError) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { buffer.deallocate() }
        // A regular file returns its first bytes in one read.
        return try read(into: buffer) == bytes.count && buffer.elementsEqual(bytes)
    }
}

extension Manifest {
    /// True if the manifest has sitemaps, which must be loaded before planning.
    package var hasSitemaps: Bool {
        sources.contains { if case .sitemap = $0.kind { true } else { false } }
    }
}
