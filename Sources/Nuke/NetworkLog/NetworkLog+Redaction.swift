import Foundation
import Transport

extension NetworkLog {
    /// The secrets that a log hides.
    public struct Redaction: Sendable {
        /// The hidden parts of a URL's query; its names are never hidden, a user name and password always are.
        public enum Query: Sendable, Hashable {
            /// Hides all values.
            case all
            /// Hides the values of these names, in any case.
            case values(of: Set<String>)
        }

        /// The header fields whose values are hidden besides `Authorization`, `Cookie`, `Set-Cookie` and
        /// `Proxy-Authorization`, in whatever case.
        public var headers: Set<String> = []
        /// The hidden parts of queries.
        public var query = Query.all
        /// Secrets that may occur anywhere in a URL after its host or in a header field, with their replacements.
        ///
        /// Texts of less than four characters and whole URLs hide nothing.
        public var texts: [String: String] = [:]

        /// Creates the defaults: the four header fields that hold secrets, and the values of all queries.
        public init() {}

        private static let secret: Set<String> = [
            "authorization", "cookie", "set-cookie", "proxy-authorization",
        ]
        private static let ofURLs: Set<String> = ["location", "content-location", "referer"]
        /// The text that replaces hidden parts.
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

        /// Returns a sentence without the `texts`.
        package func hidden(_ text: String) -> String {
            var text = text
            for (secret, shown) in texts where secret.count >= 4 && !secret.contains("://") {
                let encoded = secret.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
                for form in [secret, encoded ?? secret] { text = text.replacing(form, with: shown) }
            }
            return text
        }

        /// Returns the URL without its user and fragment, and with its query's values hidden.
        package func redacted(url: String) -> String {
            let fragment = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
            let url = withoutSecrets(url[..<fragment])
            if texts.isEmpty { return url }
            // A host is no secret; a reference may have none.
            let end =
                Self.authority(of: url).map { url[$0...].firstIndex(of: "/") ?? url.endIndex }
                ?? url.startIndex
            return url[..<end] + hidden(String(url[end...]))
        }

        private func withoutSecrets(_ whole: Substring) -> String {
            let mark = whole.utf8.firstIndex(of: UInt8(ascii: "?"))
            var url = String(whole[..<(mark ?? whole.endIndex)])
            if let start = Self.authority(of: url) {
                let rest = url.utf8[start...]
                let end =
                    rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") } ?? url.endIndex
                if let at = rest[..<end].lastIndex(of: UInt8(ascii: "@")) { url.removeSubrange(start...at) }
            }
            guard let mark else { return url }
            let query = whole[whole.utf8.index(after: mark)...]
            return url + "?"
                + query.split(separator: "&", omittingEmptySubsequences: false).map(item)
                .joined(separator: "&")
        }

        /// Returns the index of the host or of the user name before it; nil in a reference without a host.
        private static func authority(of url: String) -> String.Index? {
            var before: UInt8 = 0
            for index in url.utf8.indices {
                let byte = url.utf8[index]
                if byte == UInt8(ascii: "/"), before == byte { return url.utf8.index(after: index) }
                before = byte
            }
            return nil
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
