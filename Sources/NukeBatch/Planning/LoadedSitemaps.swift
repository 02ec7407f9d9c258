import Files
import Foundation

/// The sitemaps of a manifest as they are now: files that are read like lists, for as long as this is kept.
public struct LoadedSitemaps: Sendable {
    /// A sitemap in a file.
    struct File: Sendable {
        /// Where it came from, a URL.
        let url: String
        /// What errors and locations call it.
        let label: String
        /// Where it is.
        let path: String

        /// Its bytes, decompressed where they are gzip (RFC 1952), whatever its name.
        func open() throws(PlanningError) -> SitemapParser {
            let file = try FileStream(path: path, name: label)
            let isCompressed = try FileStream(path: path, name: label).begins(with: [0x1F, 0x8B])
            return try SitemapParser(isCompressed ? try GzipStream(file) : file, name: label)
        }
    }

    /// A folder for the files that were loaded, which goes with the last reference.
    final class Folder: Sendable {
        let path = FileManager.default.temporaryDirectory.path + "/nuke-batch-sitemaps-\(UUID().uuidString)"

        init() throws {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }

        deinit {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    private var sources: [Int: [File]] = [:]
    private let folder: Folder?

    /// Of a manifest without sitemaps.
    public init() {
        folder = nil
    }

    /// The files of each source that is a sitemap, some of them in `folder`.
    init(_ sources: [Int: [File]], in folder: Folder) {
        self.sources = sources
        self.folder = folder
    }

    /// The sitemap that a source names and those that it lists, in this order.
    func files(of source: Int) throws(PlanningError) -> [File] {
        guard let files = sources[source] else {
            throw PlanningError(file: "sources[\(source)]", message: "its sitemap was not loaded")
        }
        return files
    }

    /// Changes when a sitemap of the source does.
    func digest(of source: Int) throws(PlanningError) -> String {
        var digests = ""
        for file in try files(of: source) {
            guard let sha256 = try? ListFingerprint.sha256(path: file.path) else {
                throw PlanningError(file: file.label, message: "cannot be read any more")
            }
            digests += "\(file.url) \(sha256)\n"
        }
        return Digest.sha256.hex(of: digests)
    }
}

extension Sitemap {
    /// Looks for a sitemap that is a file of this machine; others are looked for when they are loaded.
    func checkFile() throws(PlanningError) {
        guard let path = filePath else { return }
        _ = try FileStream(path: path, name: label)
    }

    /// Its place on this machine; nil for one on the web.
    var filePath: String? {
        URL(string: url).flatMap { $0.isFileURL ? $0.path : nil }
    }
}

extension FileStream {
    fileprivate func begins(with bytes: [UInt8]) throws(PlanningError) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { buffer.deallocate() }
        // A regular file, whose first bytes come at once.
        return try read(into: buffer) == bytes.count && buffer.elementsEqual(bytes)
    }
}
