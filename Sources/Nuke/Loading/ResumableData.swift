public import Foundation
public import FoundationNetworking

/// The first part of a body, kept so that a later request fetches only the rest (RFC 9110, section 14).
public struct ResumableData: Sendable {
    /// The bytes from the beginning on.
    public let data: Data
    /// The strong entity tag or the modification date that the rest must have.
    public var validator: String { whole.validator }
    /// What they are a part of.
    let whole: ResumableResponse
    /// What the rest must begin with, where that is known: bytes that come again, so that a server whose validator stayed
    /// while its bytes changed is found out.
    let overlap: Data

    /// What can be kept of a response that broke off.
    ///
    /// It is nil unless the server takes ranges, says how long the whole is and gives a validator; a weak
    /// entity tag is none, and of encoded content the bytes at hand are not the bytes sent.
    /// - Parameters:
    ///   - response: The response, of status 200 or 206.
    ///   - data: All bytes from the beginning, those of earlier responses included.
    public init?(response: URLResponse, data: Data) {
        guard let whole = ResumableResponse(response) else { return nil }
        self.init(data, of: whole)
    }

    /// The beginning of a whole; nil if it is empty or all of it.
    ///
    /// Of `data` the last `overlap` bytes are asked for again.
    init?(_ data: Data, of whole: ResumableResponse, overlap: Int = 0) {
        guard data.count > overlap, data.count < whole.total else { return nil }
        self.data = data.prefix(data.count - overlap)
        self.overlap = data.suffix(overlap)
        self.whole = whole
    }

    /// Asks for the rest instead of the whole.
    public func resume(request: inout URLRequest) {
        request.setValue("bytes=\(data.count)-", forHTTPHeaderField: "Range")
        request.setValue(validator, forHTTPHeaderField: "If-Range")
    }

    /// Whether the response is a part (206): the server took up the request for the rest.
    public static func isResumedResponse(_ response: URLResponse) -> Bool {
        (response as? HTTPURLResponse)?.statusCode == 206
    }

    /// Whether the body of a part goes on exactly where ``data`` ends, to the end, and belongs to the same whole.
    ///
    /// If not, the server lies, and the download must start afresh without this.
    public func isContinued(by response: URLResponse) -> Bool {
        guard let response = response as? HTTPURLResponse else { return false }
        return whole.isContinued(by: response, behind: data.count)
    }
}
