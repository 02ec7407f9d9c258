import Foundation
import LoopbackServer
import TestSupport
import Testing
import Transport

@Suite(.timeLimit(.minutes(10)))
struct FolderHandlerTests {
    let folder: TemporaryFolder
    let server: LoopbackServer
    let transport = Transport()

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("0123456789", to: "site/a b.txt")
        try folder.write("secret", to: "secret.txt")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("site/link.txt"),
            withDestinationPath: folder.path("secret.txt")
        )
        server = try LoopbackServer(handler: FolderHandler(folder: folder.path("site")).respond)
    }

    func get(_ path: String, _ headers: [String: String] = [:]) async -> TransferOutcome {
        var request = TransferRequest(server, path)
        request.headers = headers.map { .init($0.key, $0.value) }
        return await transport.run(request)
    }

    @Test func servesFilesWithTheirFacts() async {
        let outcome = await get("/a%20b.txt?x")
        #expect(outcome.head?.status == 200)
        #expect(outcome.body == Data("0123456789".utf8))
        #expect(outcome.head?.value(of: "Content-Type") == "text/plain; charset=utf-8")
    }

    @Test(arguments: [
        ("bytes=2-4", 206, "234"), ("bytes=7-", 206, "789"), ("bytes=-2", 206, "89"),
        ("bytes=5-99", 206, "56789"),
        ("bytes=10-", 416, nil), ("bytes=4-2", 416, nil), ("lines=1-2", 200, "0123456789"),
        ("bytes=0-1,4-5", 200, "0123456789"), ("bytes=99999999999999999999-", 200, "0123456789"),
    ])
    func servesRanges(range: String, status: Int, text: String?) async {
        let outcome = await get("/a%20b.txt", ["Range": range])
        #expect(outcome.head?.status == status)
        if let text { #expect(outcome.body == Data(text.utf8)) }
    }

    @Test func honoursValidators() async throws {
        let etag = try #require(await get("/a%20b.txt").head?.value(of: "ETag"))
        #expect(await get("/a%20b.txt", ["If-None-Match": etag]).head?.status == 304)
        #expect(await get("/a%20b.txt", ["Range": "bytes=5-", "If-Range": etag]).head?.status == 206)
        #expect(await get("/a%20b.txt", ["Range": "bytes=5-", "If-Range": "\"other\""]).head?.status == 200)
    }

    @Test(arguments: [
        "/", "/none", "/%2e%2e/secret.txt", "/link.txt", "/a%20b.txt%00.png", "/%ff", "/..%2fsecret.txt",
    ])
    func servesNothingElse(path: String) async {
        #expect(await get(path).head?.status == 404)
    }
}
