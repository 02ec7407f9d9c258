import Foundation
import FoundationNetworking

/// By what stored responses are found: the method and the full URL, and the request's fields that `Vary` names
/// (RFC 9111, sections 2 and 4.1).
enum HTTPCacheKey {
    /// Fields whose values are lists, in which white space around a comma means nothing.
    private static let lists: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control",
    ]

    /// The key of what a GET of the URL is answered with; nil for a request without a URL.
    static func primary(_ url: URL?) -> String? {
        let text = text(of: url)
        return text.isEmpty ? nil : "GET \(text)"
    }

    /// The key of one of the responses that differ by their requests; no URL without fragment has a `#`.
    static func variant(_ id: String, of primary: String) -> String {
        "\(primary)#\(id)"
    }

    /// The URL without its fragment, which is not sent.
    static func text(of url: URL?) -> String {
        let text = url?.absoluteString ?? ""
        return text.firstIndex(of: "#").map { String(text[..<$0]) } ?? text
    }

    /// The request's fields that the response's `Vary` names.
    static func selectors(of request: URLRequest, by response: HeaderFields) -> [String: String?] {
        let fields = HeaderFields(request)
        return Dictionary(response.names(in: "Vary").map { ($0, value(of: $0, in: fields)) }) { $1 }
    }

    /// True if the request has the same fields as that of the stored response (section 4.1).
    ///
    /// A field is the same only if it is missing in both, or equal but for white space that means nothing.
    static func matches(_ selectors: [String: String?], _ request: URLRequest) -> Bool {
        guard !selectors.isEmpty else { return true }
        let fields = HeaderFields(request)
        return selectors.allSatisfy { name, value in name != "*" && value == Self.value(of: name, in: fields)
        }
    }

    private static func value(of name: String, in fields: HeaderFields) -> String? {
        guard let value = fields[name]?.trimmingCharacters(in: .whitespaces) else { return nil }
        guard lists.contains(name) else { return value }
        return value.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            .joined(separator: ",")
    }
}
