import Foundation
import LoopbackServer
import Synchronization
import Testing

@testable import ObjectStorage

/// Unfinished uploads of keys that are equal as texts, and not as bytes.
@Suite(.timeLimit(.minutes(10))) struct S3StoreUploadsTests {
    @Test("an upload of another key with the same letters goes on")
    func otherKey() async throws {
        let (composed, decomposed) = ("caf\u{e9}.tar", "cafe\u{301}.tar")
        let aborted = Mutex<[String]>([])
        let server = try LoopbackServer { request in
            if request.method == "DELETE" {
                aborted.withLock { $0.append(request.query) }
                return .status(204)
            }
            let uploads = [(composed, "1"), (decomposed, "2")].map { key, identifier in
                "<Upload><Key>p/\(key)</Key><UploadId>\(identifier)</UploadId></Upload>"
            }
            let text = "<ListMultipartUploadsResult>\(uploads.joined())</ListMultipartUploadsResult>"
            return LoopbackServer.Response(body: .data(Data(text.utf8)))
        }
        var configuration = try S3Configuration(endpoint: server.address)
        configuration.isAnonymous = true
        let service = S3Service(configuration, credentials: CredentialChain(environment: [:], region: nil))
        let store = S3Store(S3Client(service), at: ObjectLocation(bucket: "b", key: "p"))
        #expect(try await store.uploads().count == 2)
        try await store.abortUploads(at: decomposed)
        let queries = aborted.withLock { $0 }
        #expect(queries.count == 1 && queries.allSatisfy { $0.contains("uploadId=2") }, "\(queries)")
    }
}
