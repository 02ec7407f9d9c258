import Foundation
import LoopbackServer
import ObjectStorage
import TestSupport
import Transport

/// A place with a store for the suite of all stores: a folder, our own server in two forms of address, or a server that was
/// started for the tests.
enum StorePlace: Sendable, CustomStringConvertible {
    case folder
    case pathStyle
    case virtualHost
    case server(Server)

    /// A server of others, as `Tests/ObjectStores/start` tells of it.
    struct Server: Decodable, Sendable {
        let endpoint: String
        let region: String
        let accessKey: String
        let secretKey: String
        let pathStyle: Bool
        let server: String
    }

    /// The places to test: the servers in `NUKE_BATCH_TEST_STORES`, a line of JSON each, come on top.
    static let all: [StorePlace] = {
        let lines = ProcessInfo.processInfo.environment["NUKE_BATCH_TEST_STORES"] ?? ""
        let servers = lines.split(separator: "\n").map { line in
            guard let server = try? JSONDecoder().decode(Server.self, from: Data(line.utf8)) else {
                fatalError("not a description of a server: \(line)")
            }
            return server
        }
        return [.folder, .pathStyle, .virtualHost] + servers.map(StorePlace.server)
    }()

    /// Those in which keys need not be names of files.
    static let buckets: [StorePlace] = all.filter { if case .folder = $0 { false } else { true } }

    /// True if listings have the order of the bytes of their keys, as those of Amazon S3; SeaweedFS orders by folders.
    var ordersByBytes: Bool {
        if case .server(let server) = self { !server.server.contains("SeaweedFS") } else { true }
    }

    var description: String {
        switch self {
        case .folder: "folder"
        case .pathStyle: "bucket in the path"
        case .virtualHost: "bucket in the host"
        case .server(let server): server.server
        }
    }
}

/// A store in one of the places, with what it needs as long as it is used.
final class PlacedStore: Sendable {
    static let credential = AccessKey(
        accessKeyID: "AKIDTEST",
        secretAccessKey: "secret/of+tests="
    )

    let store: any Store
    /// Our own server; nil in other places.
    let server: LoopbackObjectStore?
    private let folder: TemporaryFolder?

    /// Makes an empty store.
    init(_ place: StorePlace) async throws {
        switch place {
        case .folder:
            let folder = try TemporaryFolder()
            (self.folder, server) = (folder, nil)
            store = try FolderStore(folder.path + "/store")
        case .pathStyle, .virtualHost:
            let server = try LoopbackObjectStore(buckets: [.init("store")], credentials: [Self.credential])
            (folder, self.server) = (nil, server)
            let usesHost = if case .virtualHost = place { true } else { false }
            let client = try S3Client(
                server,
                endpoint: usesHost ? server.virtualHostEndpoint : server.endpoint,
                usesPathStyle: !usesHost
            )
            store = S3Store(client, at: ObjectLocation(bucket: "store", key: "below/a prefix"))
        case .server(let server):
            (folder, self.server) = (nil, nil)
            var configuration = try S3Configuration(endpoint: server.endpoint, region: server.region)
            configuration.usesPathStyle = server.pathStyle
            let keys = AWSCredentials(accessKey: server.accessKey, secretKey: server.secretKey)
            let client = S3Client(S3Service(configuration, credentials: FixedCredentials(keys)))
            let bucket = "store-\(UUID().uuidString.lowercased())"
            try await S3Bucket.make(bucket, by: client)
            store = S3Store(client, at: ObjectLocation(bucket: bucket, key: "below/a prefix"))
        }
    }
}

extension S3Client {
    /// A client of our own server that repeats requests without waiting long.
    init(
        _ server: LoopbackObjectStore,
        endpoint: String? = nil,
        usesPathStyle: Bool? = nil,
        credentials: (any CredentialProviding)? = nil
    ) throws {
        var patience = Patience()
        (patience.firstDelay, patience.longestDelay) = (.milliseconds(1), .milliseconds(20))
        let keys = AWSCredentials(
            accessKey: PlacedStore.credential.accessKeyID,
            secretKey: PlacedStore.credential.secretAccessKey
        )
        let configuration = try S3Configuration(
            endpoint: endpoint ?? server.endpoint,
            usesPathStyle: usesPathStyle
        )
        let service = S3Service(configuration, credentials: credentials ?? FixedCredentials(keys))
        self.init(service, patience: patience)
    }
}
