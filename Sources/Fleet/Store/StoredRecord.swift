import Foundation

/// A JSON object of a store, whose numbers and texts are within bounds before anything is done with them.
protocol StoredRecord: Codable, Sendable {
    /// The bounds of its fields, in the order of the fields.
    var bounds: [StoredBound] { get }
}

/// The bounds of a field, and whether its value keeps to them.
struct StoredBound {
    /// The most items of a partition, and the most of all of them.
    static let items = 0...1_000_000_000_000
    /// The most partitions of a plan.
    static let partitions = 0...10_000_000
    /// Bytes of a file, or of all files.
    static let bytes = 0...(1 << 50)
    /// The most bytes of a short text, such as the name of a machine.
    static let shortText = 1024
    /// The most bytes of a message, or of the facts about an original.
    static let longText = 1 << 20
    /// A time in seconds: some ten thousand years.
    static let seconds = 0.0...3e11

    let field: String
    let problem: String?

    /// Bounds a number; null is within.
    init<Number: Comparable>(_ field: String, _ value: Number?, in range: ClosedRange<Number>) {
        self.field = field
        let isWithin = value.map(range.contains) ?? true
        problem = isWithin ? nil : "is not from \(range.lowerBound) to \(range.upperBound)"
    }

    /// Bounds the bytes of a text; null is within.
    init(_ field: String, _ text: String?, longest: Int) {
        self.field = field
        problem = (text?.utf8.count ?? 0) <= longest ? nil : "has more than \(longest) bytes"
    }

    /// Bounds a list, and each of its elements.
    init<Element: StoredRecord>(_ field: String, _ list: [Element], most: Int) {
        guard list.count <= most else {
            (self.field, problem) = (field, "has more than \(most) elements")
            return
        }
        for (index, element) in list.enumerated() {
            if let bound = element.bounds.first(where: { $0.problem != nil }) {
                (self.field, problem) = ("\(field)[\(index)].\(bound.field)", bound.problem)
                return
            }
        }
        (self.field, problem) = (field, nil)
    }

    /// Takes over the bounds of an object.
    init(_ field: String, _ record: some StoredRecord) {
        let bound = record.bounds.first { $0.problem != nil }
        (self.field, problem) = (bound.map { "\(field).\($0.field)" } ?? field, bound?.problem)
    }

    /// States a condition of another kind.
    init(_ field: String, requires isMet: Bool, _ problem: String) {
        (self.field, self.problem) = (field, isMet ? nil : problem)
    }
}

/// An error in an object of a store: the field and the problem.
struct StoredRecordError: Error, CustomStringConvertible {
    let description: String

    /// Describes the first field that is out of bounds; nil if there is none.
    init?(_ record: some StoredRecord) {
        guard let bound = record.bounds.first(where: { $0.problem != nil }), let problem = bound.problem
        else { return nil }
        description = "\(bound.field) \(problem)"
    }

    /// Describes the error of decoding `data`.
    init(_ error: any Error, of data: Data) {
        guard let error = error as? DecodingError else {
            description = "it is not JSON"
            return
        }
        switch error {
        case .keyNotFound(let key, let context):
            description = "\(Self.path(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            description = "\(Self.path(context.codingPath)) has another type"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            description = "\(Self.path(context.codingPath)) \(context.debugDescription)"
        default:
            // The decoder does not say which number is too large for an integer.
            let value = try? JSONSerialization.jsonObject(with: data)
            description =
                value.flatMap { Self.pathOfLargeNumber(in: $0, at: "") }.map { "\($0) is out of range" }
                ?? "it is not JSON"
        }
    }

    private static func pathOfLargeNumber(in value: Any, at path: String) -> String? {
        switch value {
        case let object as [String: Any]:
            object.sorted { $0.key < $1.key }.lazy.compactMap { key, member in
                pathOfLargeNumber(in: member, at: path.isEmpty ? key : "\(path).\(key)")
            }.first
        case let list as [Any]:
            list.enumerated().lazy.compactMap { pathOfLargeNumber(in: $1, at: "\(path)[\($0)]") }.first
        case let number as Double where Int(exactly: number) == nil && abs(number) > 1e15: path
        default: nil
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        var text = ""
        for key in keys {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return text.isEmpty ? "it" : text
    }
}

extension StoredRecord {
    /// Reads an object from JSON.
    /// - Throws: ``StoredRecordError`` with the field that is wrong.
    init(json data: Data) throws(StoredRecordError) {
        do { self = try JSONDecoder().decode(Self.self, from: data) } catch {
            throw StoredRecordError(error, of: data)
        }
        if let error = StoredRecordError(self) { throw error }
    }
}
