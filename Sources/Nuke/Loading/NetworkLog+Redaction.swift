import Foundation
import Transport

extension NetworkLog {
    /// What must not be read in a log.
    public struct Redaction: Sendable {
        /// What of a URL's query is hidden; its names never are, a user name and password always.
        public enum Query: Sendable, Hashable {
            /// All values.
            case all
            /// The values of these names, in whatever case.
            case values(of: Set<String>)
        }

        /// The header fields whose values are hidden besides `Authorization`, `Cookie`, `Set-Cookie` and
        /// `Proxy-Authorization`, in whatever case.
        public var headers: Set<String> = []
        /// What of queries is hidden.
        public var query = Query.all
        /// Secrets that may stand anywhere in a URL after its host or in a header field, and what is shown in their place.
        ///
        /// One of less than four characters hides nothing, and a whole URL neither.
        public var texts: [String: String] = [:]

        /// The defaults: the four header fields that hold secrets, and the values of all queries.
        public init() {}

        private static let secret: Set<String> = [
            "authorization", "cookie", "set-cookie", "proxy-authorization",
        ]
        private static let ofURLs: Set<String> = ["location", "content-location", "referer"]
        /// What stands in the place of what is hidden.
        public static let replacement = "redacted"

        func redacted(_ headers: [TransferRequest.Header]) -> [TransferRequest.Header] {
            let own = Set(self.headers.map { $0.lowercased() })
            return headers.map { header in
                let name = header.name.lowercased()
                if Self.secret.contains(name) || own.contains(name) {
                    return TransferRequest.Header(header.name, Self.replacement)
                }
                let value = Self.ofURLs.contains(name) ? redacted(url: header.value) : hidden(header.value)
                return TransferRequest.Header(header.name, value)
            }
        }

        /// A sentence without the `texts`.
        package func hidden(_ text: String) -> String {
            var text = text
            for (secret, shown) in texts where secret.count >= 4 && !secret.contains("://") {
                let encoded = secret.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
                for form in [secret, encoded ?? secret] { text = text.replacing(form, with: shown) }
            }
            return text
        }

        /// The URL without its user and fragment, and with its query's values hidden.
        package func redacted(url: String) -> String {
            let url = withoutSecrets(String(url.prefix { $0 != "#" }))
            if texts.isEmpty { return url }
            // A host is no secret; a reference may have none.
            let authority = url.range(of: "//")?.upperBound
            let end = authority.map { url[$0...].firstIndex(of: "/") ?? url.endIndex } ?? url.startIndex
            return url[..<end] + hidden(String(url[end...]))
        }

        private func withoutSecrets(_ whole: String) -> String {
            var url = whole
            var query: Substring?
            if let mark = url.firstIndex(of: "?") {
                query = url[url.index(after: mark)...]
                url = String(url[..<mark])
            }
            if let start = url.range(of: "//")?.upperBound {
                let end = url[start...].firstIndex { $0 == "/" || $0 == "\\" } ?? url.endIndex
                if let at = url[start..<end].lastIndex(of: "@") { url.removeSubrange(start...at) }
            }
            guard let query else { return url }
            return url + "?"
                + query.split(separator: "&", omittingEmptySubsequences: false).map(item)
                .joined(separator: "&")
        }

        private func item(_ text: Substring) -> String {
            let name = text.prefix { $0 != "=" }
            let isHidden: Bool =
                switch query {
                case .all: true
                case .values(let names): names.contains { $0.lowercased() == Self.decoded(name).lowercased() }
                }
            // All of a query without a name may be the secret.
            guard name.count < text.count else {
                return isHidden && query == .all ? Self.replacement : String(text)
            }
            return isHidden ? "\(name)=\(Self.replacement)" : String(text)
        }

        private static func decoded(_ text: Substring) -> String {
            let text = text.replacingOccurrences(of: "+", with: " ")
            return text.removingPercentEncoding ?? text
        }
    }
}
