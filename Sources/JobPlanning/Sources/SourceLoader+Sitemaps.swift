import Files
import Foundation
import FoundationNetworking
import JobManifest
import Originals

/// Loads the sitemaps of a manifest like originals: within the rate limits, from allowed addresses, with retries.
///
/// The cache also keeps them, for offline runs.
extension SourceLoader {
    /// The most nested indexes; sitemaps.org allows one level, and some sites nest them.
    private static let deepestIndex = 3
    /// The most sitemaps of one source: as many as sitemaps.org allows in an index.
    private static let mostSitemaps = 50_000
    /// The most sitemaps in memory at once.
    private static let width = 4

    /// Returns every sitemap of the manifest and those that they list, each once, in `folder`.
    ///
    /// The result is nil if `control` stops the run meanwhile.
    ///
    /// - Throws: `RunError.wrongInput` for a missing or invalid sitemap, `lostSource` for one that cannot be had.
    func sitemaps(_ control: RunControl, in folder: ScratchFolder) async throws(RunError) -> LoadedSitemaps? {
        var sources: [Int: [LoadedSitemaps.File]] = [:]
        do {
            for (index, source) in manifest.sources.enumerated() {
                guard case .sitemap(let sitemap) = source.kind else { continue }
                let context = RowContext(folder: source.folder, schemes: manifest.network.schemes)
                let name = "\(folder.path)/\(index)"
                sources[index] = try await files(of: sitemap, context, named: name, control)
            }
            return LoadedSitemaps(sources, in: folder)
        } catch let error as SitemapError {
            let sentence = "the sitemap \(error.label) cannot be used: \(error.cause.message)"
            switch (error.cause.handling, error.cause.code) {
            case (.interrupted, _): return nil
            // The manifest's own mistakes, and this machine's trouble.
            case (_, .badURL), (_, .scheme), (_, .address), (_, .notFound), (_, .offline):
                throw .wrongInput(sentence)
            case (_, .local): throw .machine("\(sentence); run again to continue")
            case (.permanent, _), (.nextRun, _): throw .lostSource(sentence, isTemporary: false)
            default: throw .lostSource(sentence, isTemporary: true)
            }
        } catch {
            throw RunError(error)
        }
    }

    private func files(
        of sitemap: Sitemap,
        _ context: RowContext,
        named name: String,
        _ control: RunControl
    ) async throws -> [LoadedSitemaps.File] {
        var seen: Set = [sitemap.url]
        var files: [LoadedSitemaps.File] = []
        var level = [(url: sitemap.url, label: sitemap.label)]
        var depth = 0
        while !level.isEmpty {
            // A local sitemap named by the manifest itself is read in place, like a list.
            let file = depth == 0 ? sitemap.filePath : nil
            let loaded =
                if let file {
                    [LoadedSitemaps.File(url: sitemap.url, label: sitemap.label, path: file)]
                } else {
                    try await load(level, named: "\(name)-\(depth)", control)
                }
            files += loaded
            level = try loaded.flatMap { try children(of: $0, context, &seen) }
            depth += 1
            guard depth <= Self.deepestIndex || level.isEmpty else {
                throw SourceError(
                    sitemap.label,
                    "nests sitemap indexes more than \(Self.deepestIndex) levels deep"
                )
            }
        }
        return files
    }

    /// Returns the sitemaps that an index lists and that are not yet in `seen`.
    private func children(
        of file: LoadedSitemaps.File,
        _ context: RowContext,
        _ seen: inout Set<String>
    ) throws -> [(url: String, label: String)] {
        var children: [(url: String, label: String)] = []
        let parser = try file.open()
        while let entry = try parser.next() {
            guard entry.kind == .sitemap else { continue }
            let checked = file.resolve(entry.address, context)
            if let problem = checked.problem {
                throw SourceError(file.label, line: entry.line, problem.message)
            }
            guard seen.insert(checked.url).inserted else { continue }
            guard seen.count <= Self.mostSitemaps else {
                throw SourceError(
                    file.label,
                    line: entry.line,
                    "exceeds the limit of \(Self.mostSitemaps) sitemaps for one source: list fewer sitemaps"
                )
            }
            children.append((checked.url, Sitemap.label(of: checked.url)))
        }
        return children
    }

    /// Loads several at once, each into a file.
    private func load(
        _ sitemaps: [(url: String, label: String)],
        named name: String,
        _ control: RunControl
    ) async throws -> [LoadedSitemaps.File] {
        var files: [LoadedSitemaps.File] = []
        for start in stride(from: 0, to: sitemaps.count, by: Self.width) {
            let some = sitemaps[start..<min(start + Self.width, sitemaps.count)]
            files += try await withThrowingTaskGroup(of: (Int, LoadedSitemaps.File).self) { group in
                for (index, sitemap) in zip(some.indices, some) {
                    group.addTask {
                        let path = "\(name)-\(index)"
                        do throws(ItemError) {
                            let (data, base) = try await RetryPolicy(manifest.retry).insist(control) {
                                () async throws(ItemError) in
                                try await bytes(of: sitemap.url)
                            }
                            do { try data.write(to: URL(fileURLWithPath: path)) } catch {
                                throw ItemError(.local, "\(error)")
                            }
                            return (
                                index,
                                LoadedSitemaps.File(
                                    url: sitemap.url,
                                    base: base,
                                    label: sitemap.label,
                                    path: path
                                )
                            )
                        } catch {
                            throw SitemapError(label: sitemap.label, cause: error)
                        }
                    }
                }
                var loaded: [(Int, LoadedSitemaps.File)] = []
                for try await file in group { loaded.append(file) }
                return loaded.sorted { $0.0 < $1.0 }.map(\.1)
            }
        }
        return files
    }

    /// Returns the bytes of a sitemap, and the URL that redirects have led to; nil without one.
    private func bytes(of url: String) async throws(ItemError) -> (Data, base: String?) {
        do {
            if url.lowercased().hasPrefix("file:") {
                return (try await reading.run { try files.read(url, limit: SitemapParser.largest) }, nil)
            }
            var headers: [String: String] = [:]
            guard let asked = ItemURL.loadable(url, headers: &headers) else {
                throw ItemError(.badURL, "\(ItemListing.shown(url)) is not a URL")
            }
            let request = FetchRequest(
                URLRequest(url: asked),
                key: "sitemap " + key(of: url),
                caching: isOffline ? .only : .renewByCaller
            )
            var loaded = try await fetcher.fetch(request)
            let address = RedirectedAddress(manifest, from: asked)
            if isOffline { return (loaded.data, try address.restored(loaded.metadata?.finalURL)) }
            let base = address.base(loaded.received?.url)
            loaded.metadata?.finalURL = address.stored(base)
            await fetcher.store(loaded, for: request)
            return (loaded.data, base)
        } catch {
            throw ItemError(loading: error, retrying: manifest.retry.statuses).hidden(by: redaction)
        }
    }

    /// The URL without the values of variables, which are never stored; where it has some, with a digest of it.
    private func key(of url: String) -> String {
        let shown = redaction.redacted(url: url)
        return shown == url ? url : "\(shown)\n\(Digest.sha256.hex(of: url))"
    }
}

/// A sitemap that could not be loaded, with the cause.
private struct SitemapError: Error {
    let label: String
    let cause: ItemError
}
