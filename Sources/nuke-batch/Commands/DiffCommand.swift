import Foundation
import JobManifest
import JobPlanning

/// `diff`: shows what a change of a manifest would make again.
struct DiffCommand: Command {
    var manifestPaths: [String] = []
    var run = RunOptions()
    var listsItems = false
    var isJSON = false

    static let name = CommandName.diff
    static let summary = "Show what differs between two manifests, and what would be made again"
    static let operands: [Operand<Self>] = [.repeated(.manifest, \.manifestPaths)]
    static let table =
        RunOptions.planning.within(\Self.run) + [
            .flag("--items", \.listsItems, help: "List the items with work and those that are gone"),
            .flag(
                "--json",
                \.isJSON,
                help: "Print NDJSON: the changes, the items, if listed, and the counts"
            ),
        ]

    static let examples: CommandExamples = [
        "nuke-batch diff old.json jobs/thumbnails.json": "Compare two manifests of a job",
        "nuke-batch diff jobs/thumbnails.json": "Compare a manifest with what was done",
    ]

    func perform() async throws -> ExitCode {
        var paths = manifestPaths
        guard let last = paths.popLast(), paths.count <= 1 else {
            throw UsageError("diff takes OLD and NEW, two manifests, or NEW alone")
        }
        let new = try JobOptions(manifestPath: last).manifest()
        let old = try paths.first.map { path in try JobOptions(manifestPath: path).manifest() }
        guard old.map(Self.takesStandardInput) != true || !Self.takesStandardInput(new) else {
            throw UsageError(
                "OLD and NEW take standard input, as manifest or as list, which can be read once: "
                    + "write what one of them takes to a file"
            )
        }
        let changes = old.map { ManifestChange.between($0, new) } ?? []
        for change in changes {
            Output.result(isJSON ? JSONLine.text(change) : Output.printable(change.text))
        }
        let forecast = try await Forecast(
            manifest: new,
            options: run,
            retrying: nil,
            since: old,
            forEachItem: listsItems ? { show($0) } : nil,
            forEachGone: listsItems ? { showGone($0) } : nil
        )
        for warning in forecast.warnings { Output.warn(warning) }
        if isJSON {
            Output.result(JSONLine.text(Total(forecast: forecast)))
        } else {
            Output.result("\(DryRun.text(forecast))\n\(Quantity.count(forecast.gone, "item")) gone")
        }
        return .done
    }

    /// True for a manifest from standard input, or with a list from there.
    private static func takesStandardInput(_ manifest: Manifest) -> Bool {
        manifest.text != nil || manifest.readsStandardInput
    }

    private func show(_ item: Forecast.Item) {
        guard !item.reasons.isEmpty else { return }
        Output.result(isJSON ? JSONLine.text(item) : DryRun.text(item))
    }

    private func showGone(_ url: String) {
        Output.result(isJSON ? JSONLine.text(["gone": url]) : Output.printable("gone        \(url)"))
    }

    /// The keys of a forecast, and the number of items that are gone.
    private struct Total: Encodable, Sendable {
        let forecast: Forecast

        private enum CodingKeys: CodingKey {
            case gone
        }

        func encode(to encoder: any Encoder) throws {
            try forecast.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(forecast.gone, forKey: .gone)
        }
    }
}
