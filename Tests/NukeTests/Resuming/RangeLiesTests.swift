import Foundation
import LoopbackServer
import Nuke
import TestSupport
import Testing

/// Promise F22: what a server says of ranges is not believed; the bytes are always those of a full fetch.
///
/// One after the other, since each waits for the disk.
@Suite("Lies about ranges", .serialized, .timeLimit(.minutes(10)))
struct RangeLiesTests {
    enum Lie: String, CaseIterable {
        case none, ignoresTheRange, otherRange, shorterRange, rangeOfAnotherWhole, noContentRange, multipart
        case changedTag, changedTagAndFile, changedFile, otherBytesOfTheFile, encoded
        case tooShort, tooLong, restAsWhole, restAsWholeWithoutLength, unsatisfiable, preconditionFailed
        case badRequest, forbidden, notAllowed, notImplemented

        /// Of the rest that is asked for, the whole that follows included.
        var requests: Int {
            switch self {
            case .none, .ignoresTheRange, .changedTagAndFile: 1
            default: 2
            }
        }
    }

    private static let old = LargeBody(seed: 1)
    private static let new = LargeBody(seed: 2)

    /// The file on the server when the rest is requested.
    private static func file(_ lie: Lie) -> LargeBody {
        [.changedTagAndFile, .changedFile, .changedTag].contains(lie) ? new : old
    }

    private static func answer(_ lie: Lie, to request: LoopbackServer.Request) -> LoopbackServer.Response {
        let (file, first) = (file(lie), LargeBody.first(of: request))
        let rest = Data(file.data[first...])
        var etag = "\"v1\""
        var range: String? = "bytes \(first)-\(LargeBody.size - 1)/\(LargeBody.size)"
        var body = LoopbackServer.Response.Body.data(rest)
        var extra: [(name: String, value: String)] = []
        guard request.headers["range"] != nil else {
            return .resource(file.data, etag: lie == .changedTag ? "\"v2\"" : etag, for: request)
        }
        switch lie {
        case .none, .changedFile: break
        case .ignoresTheRange: return .data(file.data)
        case .changedTagAndFile: return .resource(file.data, etag: "\"v2\"", for: request)
        case .restAsWhole: return .data(rest)
        case .restAsWholeWithoutLength: return .init(body: .chunked([rest]))
        case .unsatisfiable: return .status(416)
        case .preconditionFailed: return .status(412)
        case .badRequest: return .status(400)
        case .forbidden: return .status(403)
        case .notAllowed: return .status(405)
        case .notImplemented: return .status(501)
        case .otherRange:
            range = "bytes \(first - 1)-\(LargeBody.size - 1)/\(LargeBody.size)"
            body = .data(Data(file.data[(first - 1)...]))
        case .shorterRange:
            range = "bytes \(first)-\(first + 99_999)/\(LargeBody.size)"
            body = .data(rest.prefix(100_000))
        case .rangeOfAnotherWhole:
            range = "bytes \(first)-\(LargeBody.size)/\(LargeBody.size + 1)"
            body = .data(rest + [0])
        case .noContentRange: range = nil
        case .multipart:
            range = nil
            extra = [("Content-Type", "multipart/byteranges; boundary=THIS")]
        case .changedTag: etag = "\"v2\""
        case .otherBytesOfTheFile: body = .data(Data(file.data.prefix(rest.count)))
        case .encoded: extra = [("Content-Encoding", "gzip")]
        case .tooShort: body = .chunked([rest.dropLast(1000)])
        case .tooLong: body = .chunked([rest, Data(count: 1000)])
        }
        let headers = extra + [("ETag", etag)] + (range.map { [("Content-Range", $0)] } ?? [])
        return LoopbackServer.Response(status: 206, headers: headers, body: body)
    }

    private static func server(_ lie: Lie, cut: Int) throws -> LoopbackServer {
        let broken = LargeBody(seed: 1, cuts: [cut])
        let counter = Counter()
        return try LoopbackServer { request in
            counter.add("request")
            return counter["request"] == 1 ? broken.respond(to: request) : answer(lie, to: request)
        }
    }

    @Test(arguments: Lie.allCases)
    func onDisk(lie: Lie) async throws {
        let server = try Self.server(lie, cut: 3_300_000)
        let folder = try CacheFolder()
        await folder.breakOff(server.url())
        #expect(try folder.partial() == [1, 3_300_000])
        let data = try await folder.load(server.url())
        #expect(data == Self.file(lie).data)
        let requests = server.requests
        #expect(requests.count == 1 + lie.requests)
        #expect(requests[1].headers["range"] == "bytes=\(3_300_000 - 16_384)-")
        #expect(requests[1].headers["if-range"] == "\"v1\"")
        if lie.requests == 2 { #expect(requests[2].headers["range"] == nil) }
        #expect(try folder.partial() == [0, 0])
    }

    @Test(arguments: Lie.allCases)
    func inMemory(lie: Lie) async throws {
        let server = try Self.server(lie, cut: 600_000)
        let pipeline = ImagePipeline.testing(CurlDataLoader())
        let request = ImageRequest(url: server.url())
        _ = try? await pipeline.data(for: request)
        #expect(try await pipeline.data(for: request).0 == Self.file(lie).data)
        #expect(server.requests.count == 1 + lie.requests)
        #expect(server.requests[1].headers["range"] == "bytes=\(600_000 - 16_384)-")
    }

    /// The control: a part that is too short for a comparison and its rest are taken for a whole.
    @Test func aShortPartIsTakenForTheBeginningOfAChangedFile() async throws {
        let server = try Self.server(.changedFile, cut: 20_000)
        let pipeline = ImagePipeline.testing(CurlDataLoader())
        let request = ImageRequest(url: server.url())
        _ = try? await pipeline.data(for: request)
        let data = try await pipeline.data(for: request).0
        #expect(data != Self.new.data && data.count == LargeBody.size)
    }

    @Test(arguments: ["W/\"v1\"", ""])
    func aWeakTagIsNotResumed(etag: String) async throws {
        let body = Self.old.data
        let server = try LoopbackServer { _ in
            LoopbackServer.Response(
                headers: [("ETag", etag), ("Accept-Ranges", "bytes")],
                body: .truncated(body.prefix(3_300_000), declaredLength: body.count)
            )
        }
        let folder = try CacheFolder()
        await folder.breakOff(server.url())
        #expect(try folder.partial() == [0, 0])
        await folder.breakOff(server.url())
        #expect(server.requests.allSatisfy { $0.headers["range"] == nil })
    }
}
