import Foundation
import FoundationNetworking
import Nuke

/// The sitemaps of a manifest, loaded as originals are: politely, from allowed addresses, tried again.
///
/// They are loaded anew by every run, since what they list is what the run is about. The cache keeps them besides, for
/// runs that may load nothing.
extension OriginalLoader {
    /// Indexes inside each other; sitemaps.org has one, and some sites nest them.
    private static let deepestIndex = 3
    /// Sitemaps that one source leads to: as many as sitemaps.org allows an index to list.
    private static let mostSitemaps = 50_000
    /// Sitemaps in memory at once.
    private static let width = 4

    /// Every sitemap of the manifest with those that it lists, each once; nil where `control` stops the run meanwhile.
    ///
    /// - Throws: `RunError.wrongInput` for one that is none or not there, `machine` where trying again may help.
    func sitemaps(_ control: RunControl) async throws(RunError) -> LoadedSitemaps? {
        var sources: [Int: [LoadedSitemaps.File]] = [:]
        do {
            let folder = try LoadedSitemaps.Folder()
            for (index, source) in manifest.sources.enumerated() {
                guard case .sitemap(let sitemap) = source.kind else { continue }
                let context = RowContext(folder: source.folder, schemes: manifest.network.schemes)
                let name = "\(folder.path)/\(index)"
                sources[index] = try await files(of: sitemap, context, named: name, control)
            }
            return LoadedSitemaps(sources, in: folder)
        } catch let error as SitemapError {
            let sentence = "the sitemap \(error.label) cannot be used: \(error.cause.message)"
            switch error.cause.handling {
            case .interrupted: return nil
            case .permanent, .nextRun: throw .wrongInput(sentence)
            default: throw .machine("\(sentence); run again to go on")
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
            // The one that the manifest itself names is read where it is, as lists are.
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
                throw PlanningError(
                    file: sitemap.label,
                    message: "lists sitemaps that list others more than \(Self.deepestIndex) deep"
                )
            }
        }
        return files
    }

    /// What an index lists that is not `seen` yet.
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
                throw PlanningError(file: file.label, line: entry.line, message: problem.message)
            }
            guard seen.insert(checked.url).inserted else { continue }
            guard seen.count <= Self.mostSitemaps else {
                throw PlanningError(
                    file: file.label,
                    line: entry.line,
                    message: "is one of more than \(Self.mostSitemaps) sitemaps: name fewer"
                )
            }
            children.append((checked.url, Sitemap.label(of: checked.url)))
        }
        return children
    }

    /// Loads a few at once, each into a file.
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
                            let data = try await insist(control) { () async throws(ItemError) in
                                try await bytes(of: sitemap.url)
                            }
                            do { try data.write(to: URL(fileURLWithPath: path)) } catch {
                                throw ItemError("local", "\(error)", .local)
                            }
                        } catch {
                            throw SitemapError(label: sitemap.label, cause: error)
                        }
                        return (
                            index, LoadedSitemaps.File(url: sitemap.url, label: sitemap.label, path: path)
                        )
                    }
                }
                var loaded: [(Int, LoadedSitemaps.File)] = []
                for try await file in group { loaded.append(file) }
                return loaded.sorted { $0.0 < $1.0 }.map(\.1)
            }
        }
        return files
    }

    private func bytes(of url: String) async throws(ItemError) -> Data {
        do {
            if url.lowercased().hasPrefix("file:") {
                return try await reading.run { try files.read(url, limit: SitemapParser.largest) }
            }
            guard let address = URL(string: url) else { throw ItemError("bad_url", "\(url) is no URL") }
            var request = ImageRequest(urlRequest: URLRequest(url: address))
            request.imageID = "sitemap \(url)"
            request.options.insert(isOffline ? .returnCacheDataDontLoad : .disableDiskCacheReads)
            return try await images.data(for: request).0
        } catch let error as ImagePipeline.Error {
            throw ItemError(error, retrying: manifest.retry.statuses)
        } catch {
            throw ItemError(error)
        }
    }
}

/// Why a sitemap could not be loaded.
private struct SitemapError: Error {
    let label: String
    let cause: ItemError
}

extension Manifest {
    /// Whether it cannot be planned before something is loaded.
    var hasSitemaps: Bool {
        sources.contains { if case .sitemap = $0.kind { true } else { false } }
    }
}

extension LoadedSitemaps {
    /// Loads those of a manifest for a planning that no run follows: nothing is written into the cache, which is looked at
    /// only where nothing may be loaded.
    package init(forPlanning manifest: Manifest, _ options: RunOptions) async throws(RunError) {
        self.init()
        guard manifest.hasSitemaps else { return }
        var manifest = manifest
        if !options.isOffline { manifest.cache.policy = .none }
        let requests = RequestLog(counts: RequestCounts())
        let loader = try OriginalLoader(manifest, options, idle: nil, requests: requests)
        defer { loader.close() }
        self = try await loader.sitemaps(RunControl()) ?? self
    }
}
