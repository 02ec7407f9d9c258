import Foundation
import FoundationNetworking

/// The body of a response, collected while it is delivered, up to a limit.
struct CollectedBody: Sendable {
    /// The most bytes that are kept.
    let limit: Int
    /// The response that the bytes belong to.
    private var response: URLResponse?
    private var data = Data()
    private var isTooLarge = false

    init(limit: Int) {
        self.limit = limit
    }

    /// True if no byte has arrived.
    var isEmpty: Bool { data.isEmpty && !isTooLarge }

    /// Appends the next chunk; beyond the limit everything is dropped.
    mutating func append(_ chunk: Data, _ response: URLResponse) {
        if self.response == nil { self.response = response }
        guard !isTooLarge else { return }
        isTooLarge = data.count + chunk.count > limit
        if isTooLarge {
            data = Data()
        } else {
            data.append(chunk)
        }
    }

    /// The complete body; nil if it is empty, beyond the limit, or not of the announced length.
    ///
    /// A truncated body must never be stored as a whole, even if the loader accepts it. Of encoded content the
    /// announced length is that of the encoded bytes.
    var whole: Data? {
        guard !isTooLarge, !data.isEmpty else { return nil }
        guard let response = response as? HTTPURLResponse else { return data }
        let encoding = response.field("Content-Encoding") ?? "identity"
        let length = response.field("Content-Length").flatMap { Int($0) }
        guard let length, encoding.lowercased() == "identity" else { return data }
        return length == data.count ? data : nil
    }

    /// The complete body with its response; nil if it is not complete.
    var answer: (data: Data, response: URLResponse)? {
        guard let whole, let response else { return nil }
        return (whole, response)
    }
}
