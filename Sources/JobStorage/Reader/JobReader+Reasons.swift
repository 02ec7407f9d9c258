import SQLite

/// The reasons for the work of the next run, once it is planned and items are requeued.
extension JobReader {
    /// Returns the ID of the last item that the state knows; 0 before the first planning.
    /// - Throws: `JobStoreError`.
    public func lastItemID() throws(JobStoreError) -> Int64 {
        try read { connection in
            // Without a revision, the items are those of a planning that never finished.
            guard try Self.revision(connection) != nil else { return 0 }
            return try connection.integer("SELECT coalesce(max(item_id), 0) FROM item")
        }
    }

    /// Counts the unfinished items and the outputs to make by reason; items after `last` are new.
    ///
    /// The outputs add up to `outputCounts().make`. No rows are kept, and those of new items are not read.
    /// - Throws: `JobStoreError`.
    public func workCounts(newAfter last: Int64) throws(JobStoreError) -> [WorkCount] {
        let (counts, outputs) = (try counts(), try outputCounts())
        return try read { connection in
            var counter = WorkCounter()
            if last > 0 {
                var reader = WorkReader(connection)
                let index = "item i INDEXED BY item_ready"
                try reader.read(from: index, where: "i.item_id <= ?", last) { counter.add($0) }
            }
            let new = (items: counts.unfinished - counter.items, outputs: outputs.make - counter.outputs)
            if new.items > 0 { counter.add(WorkReason(.new), items: new.items, outputs: new.outputs) }
            return Array(counter.counts.values)
        }
    }

    /// Returns the work on one item by reason; none if it is finished.
    ///
    /// It is new if its ID is greater than `last`.
    /// - Throws: `JobStoreError`.
    public func work(on itemID: Int64, newAfter last: Int64) throws(JobStoreError) -> [WorkCount] {
        try read { connection in
            var reader = WorkReader(connection)
            var found: WorkItem?
            try reader.read(from: "item i", where: "i.item_id = ?", itemID) { found = $0 }
            guard let found else { return [] }
            var counter = WorkCounter()
            if itemID > last {
                counter.add(WorkReason(.new), items: 1, outputs: found.outputs.count)
            } else {
                counter.add(found)
            }
            return Array(counter.counts.values)
        }
    }
}

/// An unfinished item and the outputs to make of it.
private struct WorkItem {
    /// The reason that concerns all of the item.
    let reason: WorkReason
    /// A reason for each output to make.
    var outputs: [WorkReason] = []

    /// Each reason once, with the number of outputs.
    var counts: [WorkReason: Int] {
        outputs.isEmpty ? [reason: 0] : Dictionary(outputs.map { ($0, 1) }, uniquingKeysWith: +)
    }
}

/// Counts items and outputs by reason.
private struct WorkCounter {
    private(set) var counts: [WorkReason: WorkCount] = [:]
    private(set) var items = 0
    private(set) var outputs = 0

    mutating func add(_ item: WorkItem) {
        items += 1
        outputs += item.outputs.count
        for (reason, outputs) in item.counts { add(reason, items: 1, outputs: outputs) }
    }

    mutating func add(_ reason: WorkReason, items: Int, outputs: Int) {
        counts[reason, default: WorkCount(reason: reason)].items += items
        counts[reason, default: WorkCount(reason: reason)].outputs += outputs
    }
}

/// Reads unfinished items with their reasons.
private struct WorkReader {
    /// The recipes of an output: the one that made it, and the one that the manifest asks for.
    private struct Change: Hashable {
        let from, to: Int64
    }

    private let connection: Connection
    /// Reasons by change, of which there are as many as edits of the manifest.
    private var known: [Change: WorkReason] = [:]

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Calls `body` with the unfinished items of `table`, which is the table `item` as `i` with an index to use, that meet
    /// `condition` with its parameter.
    mutating func read(
        from table: String,
        where condition: String,
        _ value: any StoredValue,
        _ body: (WorkItem) -> Void
    ) throws {
        let statement = try connection.statement(
            """
            SELECT i.item_id, i.state = 'retry' AS is_retry, i.error, i.requeued,
                i.original_sha256 IS NULL AS is_unknown, w.name, w.recipe_id AS wanted_recipe,
                o.recipe_id AS made_recipe, o.state, c.name IS NOT NULL AS is_collision
            FROM \(table) LEFT JOIN wanted w ON w.source = i.source
                LEFT JOIN output o ON o.item_id = i.item_id AND o.name = w.name
                LEFT JOIN collision c ON c.item_id = i.item_id AND c.name = w.name
            WHERE i.listed = 1 AND (i.state = 'pending' OR i.state = 'retry') AND \(condition)
            """
        )
        try statement.bind([value])
        var present: (id: Int64, item: WorkItem)?
        while try statement.step() {
            let id: Int64 = statement["item_id"]
            if let item = present?.item, present?.id != id { body(item) }
            var item = present.flatMap { $0.id == id ? $0.item : nil } ?? Self.item(statement)
            if let output = try output(statement, of: item.reason) { item.outputs.append(output) }
            present = (id, item)
        }
        if let item = present?.item { body(item) }
    }

    private static func item(_ row: Statement) -> WorkItem {
        if row["is_retry"] { return WorkItem(reason: WorkReason(.retry, error: row["error"])) }
        let requeued: String? = row["requeued"]
        return WorkItem(reason: requeued.map { WorkReason(requeued: $0) } ?? WorkReason(.unfinished))
    }

    /// Returns the reason to make the output of a row; nil if it is not made.
    private mutating func output(_ row: Statement, of item: WorkReason) throws -> WorkReason? {
        guard let name: String = row["name"], !row["is_collision"] else { return nil }
        let change = Change(from: row["made_recipe"], to: row["wanted_recipe"])
        let isFailed = row["state"] == OutputRecord.State.failed.rawValue
        let isUnknown: Bool = row["is_unknown"]
        if change.from == change.to, !isFailed, !isUnknown { return nil }
        if !item.kind.isDecidedByOutput { return item }
        var reason: WorkReason
        if change.from == 0 {
            reason = WorkReason(.newOutput)
        } else if change.from != change.to {
            reason = try recipe(change)
        } else {
            reason = isFailed ? WorkReason(.failedOutput) : WorkReason(.requeued(.original))
        }
        reason.output = name
        return reason
    }

    private mutating func recipe(_ change: Change) throws -> WorkReason {
        if let reason = known[change] { return reason }
        let rows = try connection.statement(
            "SELECT recipe_id, recipe, parts FROM recipe WHERE recipe_id IN (?, ?)"
        )
        .rows(change.from, change.to) {
            ($0["recipe_id"] as Int64, $0["recipe"] as String, $0["parts"] as String?)
        }
        let former = rows.first { $0.0 == change.from }
        let parts = [change.from, change.to].map { id in
            [String: String](json: rows.first { $0.0 == id }?.2)
        }
        var reason = WorkReason(.recipe)
        if let outdated = former.flatMap({ OutdatedReason(recipe: $0.1) }) {
            reason = WorkReason(.outdated(outdated))
        } else if !parts[0].isEmpty, !parts[1].isEmpty {
            let names = Set(parts[0].keys).union(parts[1].keys)
            reason.settings = names.filter { $0 != OutputRecipe.shape && parts[0][$0] != parts[1][$0] }
                .sorted()
        }
        known[change] = reason
        return reason
    }
}

extension WorkReason.Kind {
    /// True if the reason to make an output of the item is the output's own.
    fileprivate var isDecidedByOutput: Bool {
        switch self {
        case .requeued(.outputs), .requeued(.facts), .requeued(.path), .requeued(.collisions),
            .requeued(.revalidate), .requeued(.lost), .requeued(.duplicate):
            true
        default: false
        }
    }
}
