import Files
import JobManifest
import JobPlanning
import JobReports

/// `duplicates`: lists items that are near copies of earlier ones, as text or NDJSON.
struct DuplicatesCommand: JobCommand {
    var job = JobOptions()
    var criteria = DuplicateSearch.Criteria()
    var isJSON = false

    static let name = CommandName.duplicates
    static let summary = "List items that are near copies of earlier ones"
    static let table =
        JobOptions.looking.within(\Self.job) + [
            .value(
                "--distance",
                \.criteria.distance,
                as: .number(0...64),
                help: "Count hashes that differ in at most N of 256 bits as near copies (default 31)"
            ),
            .value(
                "--quality",
                \.criteria.quality,
                as: .number(0...100),
                help: "Compare only hashes of quality N and more (default 50)"
            ),
            .flag("--json", \.isJSON, help: "Print NDJSON, one line per item that has near copies"),
        ]

    static let examples: CommandExamples = [
        "nuke-batch duplicates jobs/thumbnails.json": "List near copies by the fact pdq",
        "nuke-batch duplicates jobs/thumbnails.json --distance 10 --json":
            "Print only very near ones, as NDJSON",
    ]

    func perform() async throws -> ExitCode {
        let manifest = try job.recordedManifest()
        var search = DuplicateSearch(criteria)
        for part in try job.parts(of: manifest) {
            try search.add(try JobState(manifest, options: part))
        }
        guard search.compared + search.indistinct > 0 else {
            throw RunError.wrongInput(
                "no item has the fact pdq: add \"pdq\" to \"facts\" in the manifest, then run the job"
            )
        }
        var copies = 0
        try search.forEachGroup { group in
            copies += group.copies.count
            Output.result(isJSON ? JSONLine.text(group) : text(group))
        }
        if !isJSON { Output.result(summary(of: search, copies: copies)) }
        return .done
    }

    /// Returns the first item, and a line with the distance for each near copy.
    private func text(_ group: DuplicateGroup) -> String {
        let copies = group.copies.map { copy in
            "\(String(copy.distance).leftPadded(to: 5))  \(copy.item.shownURL)"
        }
        return ([group.first.shownURL] + copies).map(Output.printable).joined(separator: "\n")
    }

    private func summary(of search: DuplicateSearch, copies: Int) -> String {
        let counts =
            "\(Quantity.grouped(copies)) of \(Quantity.count(search.compared, "item")) are near copies"
        guard search.indistinct > 0 else { return counts }
        return counts
            + "; \(Quantity.grouped(search.indistinct)) more show too little to be compared (--quality)"
    }
}
