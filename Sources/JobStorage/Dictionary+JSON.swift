import Foundation

extension [String: String] {
    /// The JSON object of texts that a column holds; empty where there is none.
    package init(json: String?) {
        let object = json.flatMap { try? JSONDecoder().decode([String: String].self, from: Data($0.utf8)) }
        self = object ?? [:]
    }
}
