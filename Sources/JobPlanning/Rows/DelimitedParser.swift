import JobManifest

/// Makes items of the rows of a CSV or TSV list.
struct DelimitedParser: Sendable {
    /// The list's name in errors and locations.
    let name: String
    let context: RowContext
    let columns: RowColumns

    /// Returns the item of the row in `bytes`, which begins in line `number`.
    func row(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ fields: ArraySlice<DelimitedReader.Field>,
        isMalformed: Bool,
        number: Int
    ) -> Row {
        let position = PlannedItem.Position.line(file: name, number: number)
        func failed(_ message: String) -> Row {
            .failed(
                ItemURL.encoded(UnsafeBufferPointer(rebasing: bytes.prefix(1000))),
                message,
                position: position
            )
        }
        guard !bytes.contains(0) else { return failed("the row contains a NUL character") }
        guard !isMalformed else {
            return failed("text follows a closing quote: write quotes inside a field twice")
        }
        guard fields.count == columns.count else {
            return failed("the row has \(fields.count) fields, the header row has \(columns.count)")
        }
        do throws(NoText) {
            return try columns.row(at: position, context, failed: failed) { column throws(NoText) in
                guard let text = fields[fields.startIndex + column].text(of: bytes) else { throw NoText() }
                return text
            }
        } catch {
            return failed("the row is not UTF-8: save the file as UTF-8")
        }
    }

    private struct NoText: Error {}
}
