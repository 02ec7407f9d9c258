import Foundation

/// JSON in which one value is another one, or missing.
struct Forgery: CustomStringConvertible {
    /// The path of the value: `facts.manifest.files[0].sha256`.
    let field: String
    /// The value in its place, as text.
    let value: String
    let json: Data

    var description: String { "\(field) = \(value)" }

    /// The name of the value: `sha256`.
    var name: String {
        String(field.split(separator: ".").last?.prefix { $0 != "[" } ?? "")
    }

    /// True if a text takes the place of a text.
    let isText: Bool

    /// Returns the forgeries of every value of a JSON object.
    static func all(of json: Data) throws -> [Forgery] {
        let object = try JSONSerialization.jsonObject(with: json)
        return try forgeries(of: object, at: "") { $0 }
    }

    private static func forgeries(
        of value: Any,
        at field: String,
        in whole: @escaping (Any?) -> Any?
    ) throws -> [Forgery] {
        func forged(_ other: Any?, _ name: String, isText: Bool = false) throws -> Forgery? {
            guard let root = whole(other) else { return nil }
            let json = try JSONSerialization.data(withJSONObject: root, options: [.fragmentsAllowed])
            return Forgery(field: field, value: name, json: json, isText: isText)
        }
        var found: [Forgery?] = []
        if !field.isEmpty { found.append(try forged(nil, "nothing")) }
        switch value {
        case let object as [String: Any]:
            found.append(try forged([Any](), "[]"))
            for (key, member) in object.sorted(by: { $0.key < $1.key }) {
                found += try forgeries(of: member, at: field.isEmpty ? key : "\(field).\(key)") { other in
                    var changed = object
                    changed[key] = other
                    return whole(changed)
                }
            }
        case let array as [Any]:
            found.append(try forged([String: Any](), "{}"))
            if let first = array.first {
                found += try forgeries(of: first, at: "\(field)[0]") { other in
                    whole((other.map { [$0] } ?? []) + array.dropFirst())
                }
            }
        case is String:
            found.append(try forged("../../victim/pic", "../../victim/pic", isText: true))
            found.append(try forged(7, "7"))
        default:
            for number in [-1, 1 << 62] { found.append(try forged(number, "\(number)")) }
            found.append(try forged(1e300, "1e300"))
            found.append(try forged("text", "text"))
        }
        return found.compactMap(\.self)
    }
}
