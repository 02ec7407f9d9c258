import Fleet
import JobManifest
import JobPlanning

/// `fleet collect`: proves completeness, and merges the results.
struct FleetCollectCommand: Command {
    var fleet = FleetOptions()
    var collecting = FleetCollector.Options()
    var residuePath: String?
    var isJSON = false

    static let name = CommandName.fleetCollect
    static let usesOneArena = true
    static let summary = "Prove that the job is complete, and merge the results"
    static let table: [Option<Self>] =
        FleetOptions.table.within(\.fleet) + [
            .value(
                "--state-file",
                \.collecting.stateFile,
                as: .file,
                help: "Merge the results into the state FILE (default: collected/state.sqlite in a folder)"
            ),
            .value(
                "--residue",
                \.residuePath,
                as: .file,
                help: "Write what is not finished as a manifest to FILE"
            ),
            .value(
                "--part",
                \.collecting.part,
                as: .part,
                help: "Prove the I-th of K shares of the partitions alone, and keep its result in the store"
            ),
            .value(
                "--parts",
                \.collecting.parts,
                as: .number(1...CollectPart.most),
                help: "Merge the results of N parts in place of proving all partitions here"
            ),
            .flag(
                "--results",
                \.collecting.writesPartResults,
                help: "With --part: write the results of the part's items to the store, too"
            ),
            .flag(
                "--proof",
                \.collecting.onlyProves,
                help: "With --parts: tell whether the job is complete, without merging the parts' states"
            ),
            .flag("--gc", \.collecting.removesLost, help: "Remove the files of attempts that lost"),
            .flag("--json", \.isJSON, help: "Print JSON"),
        ]

    static let examples: CommandExamples = [
        "nuke-batch fleet collect --store /mnt/nfs/job":
            "Prove the job complete and merge all results into one state",
        "nuke-batch fleet collect --store /mnt/nfs/job --residue rest.json":
            "Write what is not finished as a manifest for another plan",
        "nuke-batch fleet collect --store /mnt/nfs/job --part 3/16":
            "Prove a sixteenth of the partitions; --parts 16 merges all of them",
    ]

    func perform() async throws -> ExitCode {
        try checkProof()
        let store = try fleet.openStore()
        var collecting = collecting
        collecting.scratch = fleet.scratch
        if let part = collecting.part { return try await collect(part, of: store, collecting) }
        let collector = try await FleetCollector(store, collecting, environment: FleetOptions.environment)
        if let path = residuePath { try Residue.require(path, apartFrom: collector) }
        let proof = collecting.onlyProves ? collecting.parts : nil
        let report =
            if let proof { try await collector.proveParts(proof) } else { try await collector.collect() }
        for contradiction in report.contradictions { Output.message(Output.printable(contradiction)) }
        if let path = residuePath {
            let count = try await Residue(collector, report).write(to: path)
            if count == 0 { Output.message("nothing is left: \(path) is not written") }
        }
        if isJSON {
            Output.result(JSONLine.text(report))
        } else {
            Output.result(Output.printableLines(text(report, store)))
            if proof == nil, let path = collector.manifestPath {
                Output.result(Output.printable("look at it: nuke-batch status \(Shell.quoted(path))"))
            }
        }
        return report.exit
    }

    /// Checks that what is asked for needs no state where none is made, and no part where there is none.
    /// - Throws: `UsageError` with the option to leave out or to add.
    private func checkProof() throws(UsageError) {
        guard !collecting.writesPartResults || collecting.part != nil else {
            throw UsageError("--results is for a part: give it together with --part I/K")
        }
        guard collecting.onlyProves, collecting.part == nil else { return }
        guard collecting.parts != nil else {
            throw UsageError("--proof is for the proofs of parts: give it together with --parts K")
        }
        let others = [
            ("--state-file", collecting.stateFile != nil), ("--residue", residuePath != nil),
            ("--gc", collecting.removesLost),
        ]
        guard let other = others.first(where: \.1) else { return }
        throw UsageError("--proof makes no state, which \(other.0) needs: leave out one of them")
    }

    /// Proves a part; whatever it finds, `--parts` tells.
    private func collect(
        _ part: CollectPart,
        of store: FleetStore,
        _ collecting: FleetCollector.Options
    ) async throws -> ExitCode {
        let others = [
            ("--state-file", collecting.stateFile != nil), ("--residue", residuePath != nil),
            ("--gc", collecting.removesLost), ("--parts", collecting.parts != nil), ("--json", isJSON),
            ("--proof", collecting.onlyProves),
        ]
        if let other = others.first(where: \.1) {
            throw UsageError("\(other.0) is for the merge: give it together with --parts \(part.count)")
        }
        let collector = try await FleetCollector(store, collecting, environment: FleetOptions.environment)
        let proven = try await collector.collect(part)
        Output.result("part \(part): \(Quantity.count(proven, "partition")) proven")
        return .done
    }

    private func text(_ report: CollectReport, _ store: FleetStore) -> String {
        let parts = Quantity.count(report.partitions, "partition")
        var lines = [
            "\(report.proven) of \(parts) proven: \(report.counts.text)",
            collecting.onlyProves
                ? "proven by the parts: \(store.appending("collected/report.json"))"
                : "results: \(store.appending("collected/results.jsonl.gz"))",
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
        let deferred = report.counts.deferred
        if deferred > 0, residuePath == nil {
            lines.append(
                "\(Quantity.count(deferred, "item")) \(deferred == 1 ? "was" : "were") deferred: write what is left to a manifest "
                    + "with --residue FILE"
            )
        }
        return lines.joined(separator: "\n")
    }
}

extension ArgumentValue where Value == CollectPart {
    /// A part of a collection.
    fileprivate static var part: Self {
        ArgumentValue("I/K", form: "a part such as 3/16") { CollectPart(parsing: $0) }
    }
}
