import Foundation
import JobManifest
import JobPlanning
import JobReports

/// `cache ACTION`: inspects and maintains the cache of originals.
struct CacheCommand: Command {
    enum Action: String, CaseIterable {
        case stat, list, get, remove, verify, trim, clear

        /// True if it removes originals, which many jobs may share.
        var isRemoving: Bool { [.remove, .trim, .clear].contains(self) }
    }

    var action = Action.stat
    var manifestPath: String?
    var folder: String?
    var url: String?
    var outputPath: String?
    var size: Int?
    var isJSON = false

    static let name = CommandName.cache
    static let summary = "Inspect and maintain the cache of originals"
    static let operands: [Operand<Self>] = [
        .required(.choice(), \.action), .optional(.manifest, \.manifestPath),
    ]
    static let table: [Option<Self>] = [
        .value(
            "--cache",
            \.folder,
            as: .folder,
            help: "Use the cache in DIR (default: the manifest's; to look at it, the shared one)"
        ).inEnvironment(),
        .value(
            "--url",
            \.url,
            as: .text("TEXT"),
            help:
                "Get the original of this URL; list or remove those whose URL contains TEXT (* matches any text)"
        ),
        .value(
            "--output",
            short: "-o",
            \.outputPath,
            as: .file,
            help: "Write the original that get reads to FILE (default: standard output)"
        ),
        .value(
            "--size",
            \.size,
            as: .size,
            help: "Trim the cache to SIZE (default: the manifest's cache.sizeLimit)"
        ),
        .flag("--json", \.isJSON, help: "Print JSON"),
    ]

    static let examples: CommandExamples = [
        "nuke-batch cache stat": "Show the size of the shared cache",
        "nuke-batch cache trim jobs/thumbnails.json --size 10GB":
            "Evict the originals that were not used for the longest time",
    ]

    func perform() async throws -> ExitCode {
        if action == .get, outputPath == nil, Output.isTerminal {
            throw UsageError("cache get writes an image, not text: name a file with --output FILE")
        }
        guard !action.isRemoving || manifestPath != nil || folder != nil else {
            throw UsageError(
                "cache \(action.rawValue) removes originals: name the cache with MANIFEST or --cache DIR"
            )
        }
        let manifest = try manifestPath.map { try JobOptions(manifestPath: $0).recordedManifest() }
        let originals = try Originals(manifest, folder: folder)
        defer { originals.close() }
        switch action {
        case .stat: try show(originals.statistics())
        case .list: try originals.forEach(url) { show($0) }
        case .get:
            let path = try WrittenPlace.file(outputPath ?? "-", of: "--output")
            try Output.write(try originals.data(of: try requiredURL()), toFile: path)
        case .remove:
            let count = try originals.remove(try requiredURL())
            Output.result(isJSON ? JSONLine.text(["removed": count]) : "\(count) removed")
        case .verify: return try verify(originals)
        case .trim:
            guard size != nil || manifest != nil else {
                throw UsageError("cache trim needs --size SIZE or a manifest with cache.sizeLimit")
            }
            let (removed, warning) = try originals.trim(to: size)
            if !isJSON { Output.result("\(removed) removed") }
            try show(originals.statistics())
            if let warning { Output.warn(warning) }
        case .clear:
            originals.removeAll()
            if !isJSON { Output.result("the cache is empty") }
        }
        return .done
    }

    private func requiredURL() throws(UsageError) -> String {
        guard let url, !url.isEmpty else { throw UsageError("cache \(action.rawValue) needs --url URL") }
        return url
    }

    private func verify(_ originals: Originals) throws -> ExitCode {
        let (count, removed) = try originals.verify()
        if isJSON {
            Output.result(JSONLine.text(["checked": count, "removed": removed]))
        } else {
            for key in removed {
                Output.result(Output.printable("damaged, removed  \(Originals.Entry.shown(key))"))
            }
            let checked = Quantity.count(count, "original")
            Output.result("\(checked) checked, \(Quantity.grouped(removed.count)) damaged")
        }
        return removed.isEmpty ? .done : .someFailed
    }

    private func show(_ statistics: Originals.Statistics) {
        Output.result(isJSON ? JSONLine.text(statistics) : statistics.text)
    }

    private func show(_ entry: Originals.Entry) {
        Output.result(isJSON ? JSONLine.text(entry) : entry.text)
    }
}
