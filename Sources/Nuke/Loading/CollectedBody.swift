import Foundation
import FoundationNetworking

/// The body of a response that is delivered and kept at once, up to a limit.
struct CollectedBody: Sendable {
    /// The most bytes that are kept.
    let limit: Int
    /// What the bytes belong to.
    private(set) var response: URLResponse?
    private var data = Data()
    private var isTooLarge = false

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether no byte has come.
    var isEmpty: Bool { data.isEmpty && !isTooLarge }

    /// Takes the next chunk; beyond the limit nothing is kept any more.
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

    /// All bytes of a body that ended well; nil without any, beyond the limit, or if others were announced.
    ///
    /// A cut body must never be stored as a whole one, also if the loader takes it for one. Of encoded content the
    /// announced length is that of other bytes.
    var whole: Data? {
        guard !isTooLarge, !data.isEmpty else { return nil }
        guard let response = response as? HTTPURLResponse else { return data }
        let encoding = response.field("Content-Encoding") ?? "identity"
        let length = response.field("Content-Length").flatMap { Int($0) }
        guard let length, encoding.lowercased() == "identity" else { return data }
        return length == data.count ? data : nil
    }
}
