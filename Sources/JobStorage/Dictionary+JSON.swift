import Foundation

extension [String: String] {
    /// The JSON object of texts that a column holds; empty where there is none.
    package init(json: String?) {
        // Most items have none, and a decoder costs more than all else that is done with it.
        let written = json == "{}" ? nil : json
        let object = written.flatMap { try? JSONDecoder().decode([String: String].self, from: Data($0.utf8)) }
        self = object ?? [:]
    }
}
