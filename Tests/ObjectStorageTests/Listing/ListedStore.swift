import Files
import Foundation
import LoopbackServer
import ObjectStorage
import TestSupport
import Transport

/// A store on loopback with one bucket, and a client of it.
final class ListedStore: Sendable {
    static let bucket = "photos"

    let store: LoopbackObjectStore
    let folder: TemporaryFolder

    /// Starts a store that holds `keys`, each with one byte.
    init(_ keys: [String] = [], generated: LoopbackObjectStore.GeneratedObjects? = nil) throws {
        let credential = AccessKey(accessKeyID: "AKIDTEST", secretAccessKey: "secret")
        store = try LoopbackObjectStore(
            buckets: [LoopbackObjectStore.Bucket(Self.bucket, generated: generated)],
            credentials: [credential]
        )
        folder = try TemporaryFolder()
        for key in keys { store.put(Data([1]), key: key, bucket: Self.bucket) }
    }

    deinit {
        store.stop()
    }

    func client(secret: String = "secret", attempts: Int = 12) throws -> S3Client {
        let service = S3Service(
            try S3Configuration(endpoint: store.endpoint, region: "us-east-1"),
            credentials: FixedCredentials(AWSCredentials(accessKey: "AKIDTEST", secretKey: secret))
        )
        var patience = S3Client.Patience()
        patience.attempts = attempts
        patience.firstDelay = .milliseconds(1)
        patience.longestDelay = .milliseconds(4)
        return S3Client(service, patience: patience)
    }
}

extension ListedObjects {
    /// The keys, in order.
    func keys() throws -> [String] {
        var reader = makeReader()
        var keys: [String] = []
        while let entry = try reader.next() { keys.append(entry.key) }
        return keys
    }
}

extension [String] {
    /// The texts in the order of their bytes, each once.
    var inKeyOrder: [String] {
        let unique = Set(bytes)
        return unique.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes, since texts are equal whose bytes differ.
    var bytes: [[UInt8]] { map { [UInt8]($0.utf8) } }
}
