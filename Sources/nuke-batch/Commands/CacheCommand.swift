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

    struct Options: CommandOptions {
        var action = Action.stat
        var manifestPath: String?
        var folder: String?
        var url: String?
        var outputPath: String?
        var size: Int?
        var isJSON = false
    }

    static let name = CommandName.cache
    static let summary = "Inspect and maintain the cache of originals"
    static let operands: [Operand<Options>] = [
        .required(.choice(), sets: \.action), .optional(.manifest, sets: \.manifestPath),
    ]
    static let table: [Option<Options>] = [
        .value(
            "--cache",
            sets: \.folder,
            as: .folder,
            help: "Use the cache in DIR (default: the manifest's; to look at it, the shared one)"
        ).inEnvironment(),
        .value(
            "--url",
            sets: \.url,
            as: .text("TEXT"),
            help:
                "Get the original of this URL; list or remove those whose URL contains TEXT (* matches any text)"
        ),
        .value(
            "--output",
            short: "-o",
            sets: \.outputPath,
            as: .file,
            help: "Write the original that get reads to FILE (default: standard output)"
        ),
        .value(
            "--size",
            sets: \.size,
            as: .size,
            help: "Trim the cache to SIZE (default: the manifest's cache.sizeLimit)"
        ),
        .flag("--json", sets: \.isJSON, help: "Print JSON"),
    ]

    static let examples = [
        CommandExample("nuke-batch cache stat", "Show the size of the shared cache"),
        CommandExample(
            "nuke-batch cache trim jobs/thumbnails.json --size 10GB",
            "Evict the originals that were not used for the longest time"
        ),
    ]

    let options: Options

    func perform() async throws -> ExitCode {
        if options.action == .get, options.outputPath == nil, Output.isTerminal {
            throw UsageError("cache get writes an image, not text: name a file with --output FILE")
        }
        guard !options.action.isRemoving || options.manifestPath != nil || options.folder != nil else {
            throw UsageError(
                "cache \(options.action.rawValue) removes originals: name the cache with MANIFEST or --cache DIR"
            )
        }
        let manifest = try options.manifestPath.map { try JobOptions(manifestPath: $0).recordedManifest() }
        let originals = try Originals(manifest, folder: options.folder)
        defer { originals.close() }
        switch options.action {
        case .stat: try show(originals.statistics())
        case .list: try originals.forEach(options.url) { show($0) }
        case .get:
            let path = try WrittenPlace.file(options.outputPath ?? "-", of: "--output")
            try Output.write(try originals.data(of: try url()), toFile: path)
        case .remove:
            let count = try originals.remove(try url())
            Output.result(options.isJSON ? JSONLine.text(["removed": count]) : "\(count) removed")
        case .verify: return try verify(originals)
        case .trim:
            guard options.size != nil || manifest != nil else {
                throw UsageError("cache trim needs --size SIZE or a manifest with cache.sizeLimit")
            }
            let (removed, warning) = try originals.trim(to: options.size)
            if !options.isJSON { Output.result("\(removed) removed") }
            try show(originals.statistics())
            if let warning { Output.message("warning: \(Output.printable(warning))") }
        case .clear:
            originals.removeAll()
            if !options.isJSON { Output.result("the cache is empty") }
        }
        return .done
    }

    private func url() throws(UsageError) -> String {
        guard let url = options.url, !url.isEmpty else {
            throw UsageError("cache \(options.action.rawValue) needs --url URL")
        }
        return url
    }

    private func verify(_ originals: Originals) throws -> ExitCode {
        let (count, removed) = try originals.verify()
        if options.isJSON {
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
        Output.result(options.isJSON ? JSONLine.text(statistics) : statistics.text)
    }

    private func show(_ entry: Originals.Entry) {
        Output.result(options.isJSON ? JSONLine.text(entry) : entry.text)
    }
}
