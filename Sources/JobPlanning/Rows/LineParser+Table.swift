import JobManifest

/// Lines of JSON as the rows of a table, as those of CSV are.
extension LineParser {
    /// Returns the item of an object whose keys are columns, which keep their types.
    func row(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ meaning: ItemList.Columns,
        position: PlannedItem.Position
    ) -> Row {
        // The beginning distinguishes failed rows, because items with equal URLs would be one item.
        func failed(_ message: String) -> Row {
            let beginning = ItemURL.encoded(UnsafeBufferPointer(rebasing: bytes.prefix(1000)))
            return .failed(beginning, message, position: position)
        }
        let document: JSONParser.Document
        do { document = try JSONParser.parse(bytes) } catch {
            return failed("not JSON, column \(error.offset + 1): \(error.message)")
        }
        guard case .object(let members) = document.root.kind else {
            return failed("the line is \(document.root.kindName), not an object with a key for each column")
        }
        let cells = Self.cells(of: members)
        guard !cells.contains(where: { $0.1.text?.utf8.contains(0) == true }) else {
            return failed("the row contains a NUL character")
        }
        do {
            let columns = try RowColumns(cells.map(\.0), meaning: meaning)
            return columns.row(at: position, context, failed: failed) { cells[$0].1 }
        } catch {
            return failed("the row \(error.message)")
        }
    }

    /// Returns the cells of a line with the names of their columns; nil for a line that is no object.
    static func cells(of bytes: UnsafeBufferPointer<UInt8>) -> [(String, RowCell)]? {
        guard let document = try? JSONParser.parse(bytes), case .object(let members) = document.root.kind
        else { return nil }
        return cells(of: members)
    }

    private static func cells(of members: [JSONMember]) -> [(String, RowCell)] {
        members.map { ($0.key, RowCell($0.value)) }
    }
}
