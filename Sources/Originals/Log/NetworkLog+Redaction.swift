import Files
import Foundation
package import Transport

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
        ///
        /// Those of a request are hidden in its answer too, where a server may repeat them.
        public var headers: Set<String> = []
        /// The header fields of requests whose values are shown, in lower case; nil for all that are not hidden.
        public var shownRequestHeaders: Set<String>?
        /// The hidden parts of queries.
        public var query = Query.all
        /// Secrets that may occur anywhere in a URL after its host or in a header field, with their replacements.
        ///
        /// Texts of less than four characters and whole URLs hide nothing.
        public var texts: [String: String] = [:]

        /// Creates the defaults: the four header fields that hold secrets, and the values of all queries.
        public init() {}

        private static let secret = ["Authorization", "Cookie", "Set-Cookie", "Proxy-Authorization"]
        private static let ofURLs = ["Location", "Content-Location", "Referer"]
        /// The text that replaces hidden parts.
        public static let replacement = "redacted"

        package func redacted(_ headers: [TransferRequest.Header]) -> [TransferRequest.Header] {
            headers.map { header in
                if isHidden(header) { return TransferRequest.Header(header.name, Self.replacement) }
                let isURL = Self.ofURLs.contains { header.isNamed($0) }
                let value = isURL ? redacted(url: header.value) : hidden(header.value)
                return TransferRequest.Header(header.name, value)
            }
        }

        /// Returns the header fields of a request, of which only some may be shown.
        package func redacted(requestHeaders: [TransferRequest.Header]) -> [TransferRequest.Header] {
            zip(requestHeaders, redacted(requestHeaders)).map { header, redacted in
                isHidden(inRequest: header.name)
                    ? TransferRequest.Header(header.name, Self.replacement) : redacted
            }
        }

        /// True if the value of a request's header field is not shown.
        package func isHidden(inRequest name: String) -> Bool {
            isHidden(TransferRequest.Header(name, ""))
                || shownRequestHeaders.map { !$0.contains(name.lowercased()) } ?? false
        }

        private func isHidden(_ header: TransferRequest.Header) -> Bool {
            Self.secret.contains { header.isNamed($0) } || headers.contains { header.isNamed($0) }
        }

        /// Returns a sentence without the `texts`.
        package func hidden(_ text: String) -> String {
            guard !texts.isEmpty else { return text }
            let texts = texts.filter { $0.key.count >= 4 && !$0.key.contains("://") }
            guard !texts.isEmpty else { return text }
            var shown = text
            // A longer secret may contain a shorter one.
            for (secret, name) in texts.sorted(by: { ($1.key.count, $0.key) < ($0.key.count, $1.key) }) {
                let encoded = secret.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
                for form in [secret, encoded ?? secret] { shown = shown.replacing(form, with: name) }
            }
            // Any character may be percent-encoded, in capitals or small letters.
            guard shown.containsASCII("%") else { return shown }
            let plain = [shown.removingPercentEncoding ?? shown, Self.decoded(shown[...])]
            let isRepeated = texts.keys.contains { secret in plain.contains { $0.contains(secret) } }
            return isRepeated ? Self.replacement : shown
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
            let rest = hidden(String(url[end...]))
            return url[..<end] + (rest == Self.replacement && end > url.startIndex ? "/" : "") + rest
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
