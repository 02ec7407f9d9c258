import Fleet
import JobManifest
import JobPlanning

/// `fleet collect`: proves completeness, and merges the results.
struct FleetProof {
    let options: FleetOptions

    func perform() async throws -> ExitCode {
        var collecting = FleetCollector.Options()
        collecting.stateFile = options.stateFile
        collecting.scratch = options.scratch
        collecting.removesLost = options.removesLost
        let store = try options.openStore()
        let collector = try await FleetCollector(store, collecting, environment: FleetOptions.environment)
        let report = try await collector.collect()
        for contradiction in report.contradictions { Output.message(Output.printable(contradiction)) }
        if let path = options.residuePath {
            let count = try await Residue(collector, report).write(to: path)
            if count == 0 { Output.message("nothing is left: \(path) is not written") }
        }
        if options.isJSON {
            Output.result(JSONLine.text(report))
        } else {
            Output.result(Output.printableLines(text(report, store)))
            if let path = collector.manifestPath {
                Output.result(Output.printable("look at it: nuke-batch status \(path)"))
            }
        }
        return report.exit
    }

    private func text(_ report: CollectReport, _ store: FleetStore) -> String {
        let parts = Quantity.count(report.partitions, "partition")
        var lines = [
            "\(report.proven) of \(parts) proven: \(report.counts.text)",
            "results: \(store.appending("collected/results.jsonl.gz"))",
        ]
        if !report.missing.isEmpty {
            let named = report.missing.prefix(20).map { "partition \($0)" }.joined(separator: ", ")
            let more = report.missing.count > 20 ? " and \(report.missing.count - 20) more" : ""
            lines.append("missing: \(named)\(more)")
        }
        if !report.deadly.isEmpty {
            let named = report.deadly.prefix(20).map { "partition \($0)" }.joined(separator: ", ")
            lines.append("ended two workers or more: \(named); the plan of a residue halves them")
        }
        if report.counts.deferred > 0, options.residuePath == nil {
            lines.append(
                "\(report.counts.deferred) items were deferred: write them to a manifest with --residue FILE"
            )
        }
        return lines.joined(separator: "\n")
    }
}
