import JobManifest
import SQLite

/// Reads the rows that a query of an SQLite database returns, in their order.
struct QueryRows: RowReading {
    /// The names of the columns that are path variables, in order.
    var variableNames: [String] { columns.variableNames }

    private let source: DatabaseQuery
    private let context: RowContext
    /// Keeps the statement alive.
    private let connection: Connection
    private let statement: Statement
    private let columns: RowColumns
    private var number = 0

    /// Opens the database for reading and prepares the query, without reading a row.
    /// - Throws: `SourceError` for a file that is missing or not a database, and for an invalid query.
    init(_ source: DatabaseQuery, context: RowContext) throws(SourceError) {
        self.source = source
        self.context = context
        // SQLite only reports that it cannot open the file; this reports the reason.
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
            throw SourceError(
                file: source.name,
                message: "the result of \(source.shownQuery) \(error.message)"
            )
        }
    }

    mutating func next() throws(SourceError) -> Row? {
        do throws(SQLiteError) {
            guard try statement.step() else { return nil }
        } catch {
            throw source.failure(error)
        }
        number += 1
        let position = PlannedItem.Position.line(file: source.name, number: number)
        // The number distinguishes failed rows, because items with equal URLs would be one item.
        let failed = { Row.failed(ItemURL.encoded(position.description), $0, position: position) }
        do throws(BadText) {
            return try columns.row(at: position, context, failed: failed) { column throws(BadText) in
                if statement.isNull(column) { return nil }
                guard let text = statement.validText(column) else {
                    throw BadText(message: "the column \(column + 1) is not UTF-8")
                }
                guard !text.utf8.contains(0) else {
                    throw BadText(message: "the column \(column + 1) contains a NUL character")
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
    /// Prepares the query and returns the columns that are path variables, without reading a row.
    /// - Throws: As `QueryRows`.
    func checkedColumns() throws(SourceError) -> [String] {
        try QueryRows(self, context: RowContext(folder: "/", schemes: [])).variableNames
    }

    fileprivate var shownQuery: String { ManifestNode.quoted(query) }

    fileprivate func failure(_ error: SQLiteError) -> SourceError {
        let remedy = error.isDamage ? ": use an SQLite database" : ""
        return SourceError(
            file: name,
            message: "the query \(shownQuery) failed: \(error.message)\(remedy)"
        )
    }
}
