import SQLite

/// The rows of an answer that an SQLite database gives to a query, in its order.
struct QueryRows: RowReading {
    /// What the columns without a meaning of their own are called, in order.
    var variableNames: [String] { columns.variableNames }

    private let source: DatabaseQuery
    private let context: RowContext
    /// Keeps the statement alive.
    private let connection: Connection
    private let statement: Statement
    private let columns: RowColumns
    private var number = 0

    /// Opens the database for reading and asks; no row is read yet.
    /// - Throws: `PlanningError` for a file that is missing or no database, and for a query that is none.
    init(_ source: DatabaseQuery, context: RowContext) throws(PlanningError) {
        self.source = source
        self.context = context
        // SQLite says only that it cannot open it; this says why.
        _ = try FileStream(path: source.path, name: source.name)
        do throws(SQLiteError) {
            connection = try Connection(path: source.path, mode: .readOnly)
            statement = try connection.query(source.query)
        } catch {
            throw source.failure(error)
        }
        do {
            columns = try RowColumns(statement.columnNames, meaning: source.columns)
        } catch {
            throw PlanningError(
                file: source.name,
                message: "the answer to \(source.shownQuery) \(error.message)"
            )
        }
    }

    mutating func next() throws(PlanningError) -> Row? {
        do throws(SQLiteError) {
            guard try statement.step() else { return nil }
        } catch {
            throw source.failure(error)
        }
        number += 1
        let place = PlannedItem.Place.line(file: source.name, number: number)
        // The number tells the rows that failed apart, as items with equal URLs would be one.
        let failed = { Row.failed(ItemURL.encoded(place.description), $0, place: place) }
        do throws(BadText) {
            return try columns.row(at: place, context, failed: failed) { column throws(BadText) in
                if statement.isNull(column) { return nil }
                guard let text = statement.validText(column) else {
                    throw BadText(message: "the column \(column + 1) is not UTF-8")
                }
                guard !text.utf8.contains(0) else {
                    throw BadText(message: "the column \(column + 1) holds a NUL character")
                }
                return text
            }
        } catch {
            return failed(error.message)
        }
    }

    private struct BadText: Error {
        let message: String
    }
}

extension DatabaseQuery {
    /// Asks, and returns the columns that are path variables; no row is read.
    /// - Throws: as `QueryRows`.
    func checkedColumns() throws(PlanningError) -> [String] {
        try QueryRows(self, context: RowContext(folder: "/", schemes: [])).variableNames
    }

    fileprivate var shownQuery: String { ManifestNode.quoted(query) }

    fileprivate func failure(_ error: SQLiteError) -> PlanningError {
        let remedy = error.isDamage ? ": name an SQLite database" : ""
        return PlanningError(
            file: name,
            message: "the query \(shownQuery) cannot be answered: \(error.message)\(remedy)"
        )
    }
}
