import Foundation

/// Priorities are encoded by their names, as Nuke 14 has them.
extension ImageRequest.Priority: Codable {
    private var name: String { String(describing: self) }

    /// Decodes the priority from its name, such as `normal`.
    /// - Throws: `DecodingError` for another name.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let priority = Self.allCases.first(where: { $0.name == name }) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "there is no priority \(name)"
            )
        }
        self = priority
    }

    /// Encodes the name of the priority.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
