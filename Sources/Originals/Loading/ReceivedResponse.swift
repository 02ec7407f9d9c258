package import Foundation
package import FoundationNetworking
import Synchronization
import Transport

/// The head of an answer as its loader received it.
///
/// Foundation's form, which takes longer to make than anything else of a load, is made once somebody asks for it. May be
/// used from any thread.
package final class ReceivedResponse: Sendable {
    /// The head as the transport received it, with its URL; nil for a response that came as Foundation's.
    private let received: (head: ResponseHead, url: URL)?
    private let made: Mutex<URLResponse?>

    init(_ head: ResponseHead, url: URL) {
        received = (head, url)
        made = Mutex(nil)
    }

    /// Creates the value from a response of Foundation.
    package init(_ response: URLResponse) {
        received = nil
        made = Mutex(response)
    }

    /// Foundation's form: always the same instance.
    package var urlResponse: URLResponse {
        made.withLock { made in
            if let made { return made }
            guard let received else { preconditionFailure("a response is one or the other") }
            let response = received.head.response(url: received.url)
            made = response
            return response
        }
    }

    private var httpResponse: HTTPURLResponse? { urlResponse as? HTTPURLResponse }

    /// The URL that answered, after redirects.
    package var url: URL? { received?.url ?? urlResponse.url }

    /// The status code; nil for a protocol without one.
    package var statusCode: Int? {
        guard let received else { return httpResponse?.statusCode }
        return received.head.status == 0 ? nil : received.head.status
    }

    /// The declared length of the body in bytes; negative if it is unknown.
    package var expectedContentLength: Int64 {
        guard let received else { return urlResponse.expectedContentLength }
        return Int64(received.head.contentLength ?? -1)
    }

    /// Returns the value of a header field, of which equal ones are joined; the case of its name does not matter.
    package func field(_ name: String) -> String? {
        guard let received else { return httpResponse?.field(name) }
        return received.head.status == 0 ? nil : received.head.joinedValue(of: name)
    }

    /// True if a body that was received without an error has its end: by a length, the last chunk, or the end of its stream.
    ///
    /// Of encoded content only the encoded bytes have it: libcurl does not miss the end of what they decode to.
    package var isEndProven: Bool {
        guard !isEncoded else { return false }
        return expectedContentLength >= 0 || field("Transfer-Encoding") != nil
            || received.map { $0.head.version.hasPrefix("HTTP/2") } ?? false
    }

    /// True if the bytes were sent in another encoding than they are delivered in.
    var isEncoded: Bool {
        let encoding = field("Content-Encoding") ?? ""
        return !encoding.isEmpty && encoding.lowercased() != "identity"
    }
}
