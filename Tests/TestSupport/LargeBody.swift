public import Foundation
public import LoopbackServer
import Synchronization

/// A large file on a server that cuts the answers it is told to cut.
public final class LargeBody: Sendable {
    /// The length of the file in bytes.
    public static let size = 5_000_000

    /// The file.
    public let data: Data
    /// Its entity tag.
    public let etag = "\"v1\""
    private let cuts: Mutex<[Int]>

    /// Other bytes for each seed; each of `cuts` ends one answer after so many bytes of the file.
    public init(seed: UInt64 = 1, cuts: [Int] = []) {
        var random = SeededGenerator(seed: seed)
        var words = [UInt64](repeating: 0, count: Self.size / 8)
        for index in words.indices { words[index] = random.next() }
        data = words.withUnsafeBytes { Data($0) }
        self.cuts = Mutex(cuts)
    }

    /// The file, or the part that is asked for, perhaps cut.
    public func respond(to request: LoopbackServer.Request) -> LoopbackServer.Response {
        var response = LoopbackServer.Response.resource(data, etag: etag, for: request)
        let first = Self.first(of: request)
        let cut = cuts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let cut, cut < Self.size {
            let count = max(0, cut - first)
            response.body = .truncated(
                Data(data[first...].prefix(count)),
                declaredLength: Self.size - first
            )
        }
        return response
    }

    /// The first byte that a request asks for.
    public static func first(of request: LoopbackServer.Request) -> Int {
        request.headers["range"].flatMap { Int($0.dropFirst("bytes=".count).prefix { $0.isNumber }) } ?? 0
    }
}
