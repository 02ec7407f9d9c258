/// A list in CSV or TSV: its first row names the columns, every other row is an item.
struct DelimitedRows: RowReading {
    /// What the columns without a meaning of their own are called, in order: the path variables of every row.
    var variableNames: [String] { variables.map(\.name) }

    private var reader: DelimitedReader
    private let name: String
    private let context: RowContext
    private let columnCount: Int
    private let urlColumn: Int
    private let idColumn: Int?
    private let priorityColumn: Int?
    private let variables: [(name: String, column: Int)]

    init(
        _ stream: any ByteStream,
        list: ItemList,
        name: String,
        context: RowContext
    ) throws(PlanningError) {
        reader = try DelimitedReader(stream, delimiter: list.format == .tsv ? "\t" : ",", name: name)
        self.name = name
        self.context = context
        func wrong(_ message: String) -> PlanningError {
            PlanningError(file: name, line: 1, message: message)
        }
        guard let row = try reader.next() else {
            throw wrong("has no header row: write the names of the columns into its first line")
        }
        var columnOfName: [String: Int] = [:]
        for index in reader.fields.indices {
            guard let column = reader.text(index, of: row) else { throw wrong("the header row is not UTF-8") }
            guard !column.isEmpty else { continue }
            guard columnOfName.updateValue(index, forKey: column) == nil else {
                throw wrong("two columns are called \(ManifestNode.quoted(column)): rename one")
            }
        }
        let columns = list.columns
        for column in columns.required.union([columns.url]).sorted() where columnOfName[column] == nil {
            let found = columnOfName.keys.sorted().map { ManifestNode.quoted($0) }.joined(separator: ", ")
            throw wrong(
                "has no column \(ManifestNode.quoted(column)), only \(found): name the right one in \"columns\""
            )
        }
        columnCount = reader.fields.count
        urlColumn = columnOfName.removeValue(forKey: columns.url) ?? 0
        idColumn = columnOfName.removeValue(forKey: columns.id)
        priorityColumn = columnOfName.removeValue(forKey: columns.priority)
        variables = columnOfName.map { (name: $0.key, column: $0.value) }.sorted { $0.column < $1.column }
    }

    mutating func next() throws(PlanningError) -> Row? {
        while let bytes = try reader.next() {
            if reader.isBlank { continue }
            let place = PlannedItem.Place.line(file: name, number: reader.number)
            return row(bytes, place)
                ?? .failed(
                    ItemURL.encoded(UnsafeBufferPointer(rebasing: bytes.prefix(1000))),
                    "the row is not UTF-8: save the file as UTF-8",
                    place: place
                )
        }
        return nil
    }

    /// The row's item; nil if a field of it is not UTF-8.
    private func row(_ bytes: UnsafeBufferPointer<UInt8>, _ place: PlannedItem.Place) -> Row? {
        func failed(_ message: String) -> Row {
            .failed(ItemURL.encoded(UnsafeBufferPointer(rebasing: bytes.prefix(1000))), message, place: place)
        }
        guard !bytes.contains(0) else { return failed("the row holds a NUL character") }
        guard !reader.isMalformed else {
            return failed("text follows a closing quote: double quotes inside of fields")
        }
        guard reader.fields.count == columnCount else {
            return failed("the row has \(reader.fields.count) fields, the header row has \(columnCount)")
        }
        guard let url = reader.text(urlColumn, of: bytes) else { return nil }
        var row = Row(url: context.check(url), place: place)
        if let idColumn {
            guard let id = reader.text(idColumn, of: bytes) else { return nil }
            row.id = id.isEmpty ? nil : id
        }
        if let priorityColumn {
            guard let word = reader.text(priorityColumn, of: bytes) else { return nil }
            row.priority = ItemPriority(rawValue: word)
            if row.priority == nil, !word.isEmpty {
                let known = ItemPriority.allCases.map(\.rawValue)
                let hint = NearestName.hint(for: word, among: known)
                return failed("\(ManifestNode.quoted(word)) is no priority\(hint)")
            }
        }
        for (name, column) in variables {
            guard let text = reader.text(column, of: bytes) else { return nil }
            row.variables[name] = text
        }
        return row
    }
}
