/// The parameters of a query, decoded, in the order in which they were sent.
struct QueryParameters: Sendable {
    let all: [(name: String, value: String)]

    /// Nil if an escape is malformed.
    init?(query: String) {
        var all: [(name: String, value: String)] = []
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            let value = pair.dropFirst(name.count + 1)
            guard let name = PercentEncoding.decode(Substring(name)),
                let value = PercentEncoding.decode(Substring(value))
            else { return nil }
            all.append((name, value))
        }
        self.all = all
    }

    subscript(name: String) -> String? {
        all.first { $0.name == name }?.value
    }

    func contains(_ name: String) -> Bool {
        self[name] != nil
    }
}
