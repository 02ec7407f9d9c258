import Foundation
import LoopbackServer

/// The address and the keys of the store, as `Tests/ObjectStores/start` prints those of other servers.
struct StoreDescription: Encodable {
    let endpoint: String
    let region: String
    let accessKey: String
    let secretKey: String
    let pathStyle: Bool
    let server: String
}

/// A change of the store's behaviour; what is left out stays.
struct StoreSettings: Decodable {
    /// A key that may sign requests.
    struct Key: Decodable {
        let accessKey: String
        let secretKey: String
        let sessionToken: String?
        /// Seconds from now; negative for a key that has ended.
        let expiresIn: Double?
    }

    /// The keys that may sign requests.
    let keys: [Key]?
    /// The seconds by which the store's clock is ahead.
    let clock: Double?
    /// Faults at random, by the operations' names.
    let faults: [RandomFaults.Rule]?
    let seed: UInt64?
    /// A folder whose files become objects, and the bucket that they are put into.
    let fill: [String]?
    /// A bucket whose keys the answer lists, and one whose objects are written to a folder.
    let list: String?
    let dump: [String]?

    func apply(to store: LoopbackObjectStore, _ random: RandomFaults) throws {
        if let keys {
            store.credentials = keys.map { key in
                AccessKey(
                    accessKeyID: key.accessKey,
                    secretAccessKey: key.secretKey,
                    sessionToken: key.sessionToken,
                    expiration: key.expiresIn.map { Date(timeIntervalSinceNow: $0) }
                )
            }
        }
        if let clock { store.clockOffset = clock }
        if let faults { random.use(faults, seed: seed ?? 0) }
        if let fill, fill.count == 2 {
            for name in try FileManager.default.subpathsOfDirectory(atPath: fill[0]) {
                guard let data = FileManager.default.contents(atPath: "\(fill[0])/\(name)") else { continue }
                store.put(data, key: name, bucket: fill[1])
            }
        }
    }
}

/// The state of the store.
struct StoreState: Encodable {
    /// The operations so far, by their names.
    let counts: [String: Int]
    /// The keys of uploads in parts that are open.
    let uploads: [String]
    /// The keys that were written, and how often.
    let writes: [String: Int]
    let keys: [String]

    init(_ store: LoopbackObjectStore, listing bucket: String?, dumping dump: [String]?) throws {
        counts = Dictionary(
            uniqueKeysWithValues: LoopbackObjectStore.Operation.Kind.allCases.map {
                ($0.rawValue, store.count(of: $0))
            }
        )
        uploads = store.uploads.map(\.key)
        let puts = store.operations.filter { $0.kind == .putObject }
        writes = Dictionary(puts.map { ($0.key, 1) }, uniquingKeysWith: +)
        keys = bucket.map { store.objects(in: $0) } ?? []
        guard let dump, dump.count == 2 else { return }
        for key in store.objects(in: dump[0]) {
            let path = "\(dump[1])/\(key)"
            let folder = (path as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try store.object(key, in: dump[0])?.data.write(to: URL(fileURLWithPath: path))
        }
    }
}
