import Files
import Foundation
import JobManifest
import JobPlanning
import JobReports

/// The work that a run would do, printed in place of it.
enum DryRun {
    /// Prints what a run with `options` would do, after a retry of the items that `selection` selects.
    static func show(
        _ manifest: Manifest,
        options: RunOptions,
        requeuing selection: ItemSelection? = nil,
        listsItems: Bool = false,
        isJSON: Bool
    ) async throws -> ExitCode {
        let forecast = try await Forecast(
            manifest: manifest,
            options: options,
            requeuing: selection,
            forEachItem: listsItems ? { Output.result(isJSON ? JSONLine.text($0) : text($0)) } : nil
        )
        for warning in forecast.warnings { Output.warn(warning) }
        Output.result(isJSON ? JSONLine.text(forecast) : text(forecast))
        return .done
    }

    /// Returns the numbers of a forecast as lines of a table, and the reasons for the work.
    static func text(_ forecast: Forecast) -> String {
        let (outputs, originals) = (forecast.outputs, forecast.originals)
        func row(_ count: Int, _ noun: String, and rest: String = "") -> (name: String, count: Int) {
            (Quantity.noun(noun, count) + rest, count)
        }
        let rows: [(name: String, count: Int)] = [
            row(forecast.items, "item"), ("new", forecast.new), ("changed", forecast.changed),
            ("done", forecast.done), ("failed", forecast.failed), row(forecast.duplicates, "duplicate row"),
            row(outputs.make, "output", and: " to make"), row(outputs.keep, "output", and: " to keep"),
            row(outputs.prune, "output", and: " to prune"), row(originals.load, "original", and: " to load"),
            row(originals.revalidate, "original", and: " to revalidate"),
            row(originals.use, "original", and: " available locally"),
            row(
                originals.missing,
                "original",
                and: " that \(originals.missing == 1 ? "does" : "do") not exist"
            ),
        ]
        let shown = rows.enumerated().filter { $0.offset == 0 || $0.element.count > 0 }.map(\.element)
        let width = shown.map { String($0.count).count }.max() ?? 0
        let lines = shown.map { "\(String($0.count).leftPadded(to: width)) \($0.name)" }
        return (lines + [estimate(forecast.originals)] + why(forecast.reasons)).joined(separator: "\n")
    }

    /// Returns an item as a line of a table: its state and URL, and the reasons for which the run has work with it.
    static func text(_ item: Forecast.Item) -> String {
        let reasons = item.reasons.map(\.text).joined(separator: "; ")
        let line = ItemTable.line(item.listing)
        return reasons.isEmpty ? line : "\(line)  \(Output.printable(reasons))"
    }

    /// Returns the reasons as lines of a table below a heading; nothing without reasons.
    private static func why(_ reasons: [Forecast.Reason]) -> [String] {
        guard !reasons.isEmpty else { return [] }
        let width = reasons.map { String($0.count).count }.max() ?? 0
        let lines = reasons.map { reason in
            let noun = Quantity.noun(reason.outputs > 0 ? "output" : "item", reason.count)
            let count = String(reason.count).leftPadded(to: width)
            return "  \(count) \(noun.rightPadded(to: 7))  \(Output.printable(reason.text))"
        }
        return ["why"] + lines
    }

    /// Returns the expected transfers and the least time that they take.
    private static func estimate(_ originals: OriginalsForecast.Originals) -> String {
        guard originals.load + originals.revalidate > 0 else { return "no network transfers" }
        let bytes = originals.loadBytes.map { "about \(Quantity.bytes($0))" } ?? "an unknown number of bytes"
        return "network transfers: \(bytes), at least \(Quantity.duration(originals.seconds))"
    }
}
