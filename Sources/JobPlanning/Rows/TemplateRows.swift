import JobManifest

/// Generates the URLs of a template one at a time; the last variable changes fastest.
struct TemplateRows: RowReading {
    private let template: URLTemplate
    private let variables: Variables
    private let context: RowContext
    private let source: Int
    /// The number of URLs generated so far.
    private var index = 0

    package init(_ template: URLTemplate, source: Int, variables: Variables, context: RowContext) {
        self.template = template
        self.source = source
        self.variables = variables
        self.context = context
    }

    mutating func next() -> Row? {
        guard index < template.count else { return nil }
        defer { index += 1 }
        let values = values(of: index)
        let position = PlannedItem.Position.product(source: source, index: index)
        var row: Row
        if template.usesEnvironment {
            // Stored as written, as in `EntryRows`; encoded values contain nothing that could be expanded.
            let written = template.url(values.map { ItemURL.encoded($0) })
            let checked = context.check(variables.expanded(written))
            row = Row(url: ItemURL.Checked(url: written, problem: checked.problem), position: position)
            row.target = checked.url
        } else {
            row = Row(url: context.check(template.url(values)), position: position)
        }
        for (variable, value) in zip(template.variables, values) { row.variables[variable.name] = value }
        return row
    }

    /// The digits of `index` in the number system whose bases are the variables' counts.
    private func values(of index: Int) -> [String] {
        var values = [String](repeating: "", count: template.variables.count)
        var rest = index
        for position in template.variables.indices.reversed() {
            let choices = template.variables[position].values
            values[position] = choices[rest % choices.count]
            rest /= choices.count
        }
        return values
    }
}
