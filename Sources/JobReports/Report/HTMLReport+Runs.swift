import JobManifest

/// The history of the job: its last runs.
extension HTMLReport {
    static func runs(_ figures: ReportFigures) -> HTML {
        let shards = figures.status.shards
        var runs = (shards.isEmpty ? [figures.status] : shards).flatMap { status in
            status.runs.map { (shard: status.shard ?? "", run: $0) }
        }
        guard !runs.isEmpty else { return "" }
        if !shards.isEmpty { runs.sort { $0.run.started > $1.run.started } }
        let heading: HTML = shards.isEmpty ? "" : "<th>shard</th>"
        let rows = runs.map { shard, run -> HTML in
            let name: HTML = shards.isEmpty ? "" : "<td>\(shard)</td>"
            return """
                <tr>\(name)<td>\(run.run)</td><td>\(run.startedText)</td><td class="number">\(run.seconds.map(duration) ?? "–")</td>\
                <td class="number">\(run.made.map(Quantity.grouped) ?? "–")</td>\
                <td class="number">\(run.failed.map(Quantity.grouped) ?? "–")</td>\
                <td class="number">\(exit(of: run))</td></tr>
                \(remarks(run, columns: shards.isEmpty ? 6 : 7))
                """
        }
        return """
            <section class="wide"><h2>Last runs</h2>
            <table><thead><tr>\(heading)<th>run</th><th>started</th><th class="number">took</th><th class="number">made</th>\
            <th class="number">failed</th><th class="number">exit</th></tr></thead>
            <tbody>\(rows)</tbody></table></section>
            """
    }

    private static func exit(of run: JobStatus.Run) -> HTML {
        switch run.exit {
        case nil where run.isGoingOn: "running"
        case nil: "<span class=\"failed\">died</span>"
        case 0?: "<span class=\"done\">0</span>"
        case let code?: "<span class=\"\(code == 5 ? "skipped" : "failed")\">\(code)</span>"
        }
    }

    /// The circumstances of a run in a row of their own.
    private static func remarks(_ run: JobStatus.Run, columns: Int) -> HTML {
        let counts = [("new failures", run.newFailures ?? 0), ("recovered items", run.recovered ?? 0)]
        let lines =
            [run.interruption].compactMap { $0 }
            + counts.filter { $0.1 > 0 }.map { "\($0): \(Quantity.grouped($1))" }
            + [run.edgeShare.map { "edge hits: \($0)" }].compactMap { $0 } + run.remarks
        guard !lines.isEmpty else { return "" }
        let texts = lines.map { line -> HTML in "<div>\(line.withoutQueries)</div>" }
        return "<tr class=\"remarks\"><td class=\"quiet wrap\" colspan=\"\(columns)\">\(texts)</td></tr>"
    }
}
