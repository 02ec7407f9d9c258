@testable import JobManifest

extension PlannedItem {
    /// An item of a URL that has nothing but what is given.
    init(
        testing url: String,
        index: Int = 1,
        id: String? = nil,
        headers: [String: String] = [:],
        variables: [String: String] = [:],
        base: String? = nil
    ) {
        self.init(
            index: index,
            url: url,
            target: url,
            id: id,
            headers: headers,
            priority: .normal,
            variables: variables,
            source: 0,
            problem: nil,
            validator: nil,
            base: base,
            position: .entry(source: 0, index: 0)
        )
    }
}
