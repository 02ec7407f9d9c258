import JobManifest
import SQLite

/// Reads the rows that a query of an SQLite database returns, in their order.
struct QueryRows: RowReading {
    /// The names of the columns that are path variables, in order.
    var variableNames: [String] { columns.variableNames }

    private let source: DatabaseQuery
    private let context: RowContext
    /// Keeps the query alive.
    private let connection: Connection
    private let query: Query
    private let columns: RowColumns
    private let limits: Limits
    private let due: Due
    private var number = 0
    /// True after the last row: another step would begin the query again.
    private var isAtEnd = false

    /// The bounds of a query, whose views may be endless and whose functions may make values of any size.
    struct Limits {
        /// The time in which a row must come.
        var patience: Duration = .seconds(600)
        /// The most rows.
        var rows = 100_000_000
        /// The size of the largest value that the query handles, in bytes, which also bounds a row of its tables.
        var value = 64_000_000
    }

    /// Opens the database for reading and prepares the query, without reading a row.
    /// - Throws: `SourceError` for a file that is missing or not a database, and for an invalid query.
    init(_ source: DatabaseQuery, context: RowContext, limits: Limits = Limits()) throws(SourceError) {
        self.source = source
        self.context = context
        self.limits = limits
        let due = Due(.now + limits.patience)
        self.due = due
        // SQLite only reports that it cannot open the file; this reports the reason.
        _ = try FileStream(path: source.path, name: source.name, mustBeRegular: true)
        do throws(SQLiteError) {
            connection = try Connection(path: source.path, mode: .readOnly)
            connection.limit(bytes: limits.value) { [isStopped = context.isStopped] in
                due.time < .now || isStopped()
            }
            query = try connection.query(source.query)
        } catch {
            throw source.failure(error)
        }
        do {
            columns = try RowColumns(query.columnNames, meaning: source.columns)
        } catch {
            throw SourceError(source.name, "the result of \(source.shownQuery) \(error.message)")
        }
    }

    mutating func next() throws(SourceError) -> Row? {
        due.time = .now + limits.patience
        do throws(SQLiteError) {
            guard !isAtEnd else { return nil }
            isAtEnd = try !query.step()
            if isAtEnd { return nil }
        } catch {
            guard due.time < .now else { throw source.failure(error) }
            throw source.failure("it gave no row for \(Quantity.duration(limits.patience / .seconds(1)))")
        }
        number += 1
        guard number <= limits.rows else { throw source.failure("it gives more than \(limits.rows) rows") }
        let position = PlannedItem.Position.line(file: source.name, number: number)
        // The number distinguishes failed rows, because items with equal URLs would be one item.
        let failed = { Row.failed(ItemURL.encoded(position.description), $0, position: position) }
        do throws(BadText) {
            return try columns.row(at: position, context, failed: failed) { column throws(BadText) in
                let cell = query[column]
                switch cell.kind {
                case .null: return .absent
                case .integer: return .number(String(Int64(cell)))
                case .real: return RowCell(Double(cell))
                case .text, .blob: break
                }
                guard cell.byteCount <= RowBuffer.longestRow else {
                    throw BadText(
                        message: "the column \(column + 1) is longer than \(RowBuffer.longestRow) bytes"
                    )
                }
                guard let text = cell.validText else {
                    throw BadText(message: "the column \(column + 1) is not UTF-8")
                }
                guard !text.utf8.contains(0) else {
                    throw BadText(message: "the column \(column + 1) contains a NUL character")
                }
                return RowCell(text: text)
            }
        } catch {
            return failed(error.message)
        }
    }

    private struct BadText: Error {
        let message: String
    }

    /// The time until which the next row must come.
    private final class Due {
        var time: ContinuousClock.Instant

        init(_ time: ContinuousClock.Instant) {
            self.time = time
        }
    }
}

extension DatabaseQuery {
    /// Prepares the query and returns the columns that are path variables, without reading a row.
    /// - Throws: As `QueryRows`.
    func checkedColumns() throws(SourceError) -> [String] {
        try QueryRows(self, context: RowContext(folder: "/", schemes: [])).variableNames
    }

    fileprivate var shownQuery: String { CanonicalJSON.quoted(query) }

    fileprivate func failure(_ error: SQLiteError) -> SourceError {
        failure(error.message + (error.isDamage ? ": use an SQLite database" : ""))
    }

    fileprivate func failure(_ reason: String) -> SourceError {
        SourceError(name, "the query \(shownQuery) failed: \(reason)")
    }
}
