import Files
public import Foundation
public import FoundationNetworking

/// The beginning of a body, with which a later request fetches only the rest (RFC 9110, section 14).
public struct ResumableData: Sendable {
    /// The bytes from the beginning.
    public let data: Data
    /// The strong entity tag or the modification date that the rest must have.
    public var validator: String { whole.validator }
    /// The whole that they are a part of.
    let whole: ResumableResponse
    /// The bytes that the rest must begin with, where known: they are requested again, so that a server whose validator stayed
    /// while its bytes changed is found out.
    let overlap: Data
    /// The length of an overlap: any few bytes of a JPEG or PNG differ if its pixels differ.
    static let overlapCount = 16 * 1024
    /// The mapping of the file that holds them; nil for bytes in memory.
    let mapping: MappedFile?

    /// Creates the resumable data of an interrupted response.
    ///
    /// It is nil unless the server accepts ranges, states the length of the whole and gives a validator. A weak
    /// entity tag does not count, and encoded content cannot be resumed.
    /// - Parameters:
    ///   - response: The response, of status 200 or 206.
    ///   - data: All bytes from the beginning, those of earlier responses included.
    public init?(response: URLResponse, data: Data) {
        guard let whole = ResumableResponse(ReceivedResponse(response)) else { return nil }
        self.init(data, of: whole)
    }

    /// The beginning of a whole; nil if it is empty or all of it.
    ///
    /// Of `data` the last `overlap` bytes are asked for again.
    init?(_ data: Data, of whole: ResumableResponse, overlap: Int = 0, mapping: MappedFile? = nil) {
        guard data.count > overlap, data.count < whole.total else { return nil }
        self.data = data.prefix(data.count - overlap)
        self.overlap = data.suffix(overlap)
        self.whole = whole
        self.mapping = mapping
    }

    /// Changes a request so that it asks for the rest instead of the whole.
    public func resume(request: inout URLRequest) {
        request.setValue("bytes=\(data.count)-", forHTTPHeaderField: "Range")
        request.setValue(validator, forHTTPHeaderField: "If-Range")
    }

    /// Returns true if the response is a part (206): the server accepted the range request.
    public static func isResumedResponse(_ response: URLResponse) -> Bool {
        (response as? HTTPURLResponse)?.statusCode == 206
    }

    /// Returns true if the body of a part continues exactly where ``data`` ends, to the end, and belongs to the same whole.
    ///
    /// If not, the download must restart without this data.
    public func isContinued(by response: URLResponse) -> Bool {
        isContinued(by: ReceivedResponse(response))
    }

    func isContinued(by response: ReceivedResponse) -> Bool {
        whole.isContinued(by: response, behind: data.count)
    }

    /// Returns true if a body seems to be the rest of the whole, although its response is not that of a part.
    ///
    /// Its length, a range in the head, or its first bytes tell. One of another version is a whole, such as a stale one of a cache.
    func isRest(_ response: ReceivedResponse, beginningWith chunk: Data) -> Bool {
        guard whole.mayBelong(response) else { return false }
        let count = min(chunk.count, overlap.count)
        return response.expectedContentLength == Int64(whole.total - data.count)
            || response.field("Content-Range") != nil
            || count > 0 && chunk.starts(with: overlap.prefix(count))
                && !chunk.starts(with: data.prefix(count))
    }
}
