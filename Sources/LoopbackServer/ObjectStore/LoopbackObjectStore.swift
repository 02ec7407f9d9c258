public import Foundation
import Synchronization

/// A small S3 server on 127.0.0.1 for tests, which can also misbehave on purpose.
///
/// It verifies every signature, and every digest that a request gives, by code of its own, so that it finds the errors of
/// a client. Objects are in memory. All members may be used from any thread.
public final class LoopbackObjectStore: Sendable {
    /// The HTTP server.
    public let server: LoopbackServer
    /// The region of buckets that name no other.
    public let region: String
    private let service: ObjectStoreService

    /// Starts a store.
    /// - Parameters:
    ///   - buckets: The buckets, whose names differ. There is no operation to create one.
    ///   - credentials: The keys that may sign requests.
    ///   - region: The store's region.
    ///   - port: The port; 0 selects a free one.
    /// - Throws: ``SocketError`` if the port is not available.
    public init(
        buckets: [Bucket],
        credentials: [AccessKey],
        region: String = "us-east-1",
        port: UInt16 = 0
    ) throws {
        let service = ObjectStoreService(buckets: buckets, credentials: credentials, region: region)
        self.service = service
        self.region = region
        // A part of an upload may be large; a log of bodies would hold everything twice.
        server = try LoopbackServer(
            port: port,
            bodyLimit: 1 << 30,
            logsBodies: false,
            receive: service.receive
        )
    }

    /// The address for path style, such as `http://127.0.0.1:8099`.
    public var endpoint: String { server.address }

    /// The address for virtual-host style, such as `http://localhost:8099`.
    ///
    /// A bucket's name and a dot go before its host.
    public var virtualHostEndpoint: String { "http://localhost:\(server.port)" }

    /// The keys that may sign requests.
    public var credentials: [AccessKey] {
        get { service.settings.withLock { $0.credentials } }
        set { service.settings.withLock { $0.credentials = newValue } }
    }

    /// The seconds by which the store's clock is ahead of the system's.
    public var clockOffset: TimeInterval {
        get { service.settings.withLock { $0.clockOffset } }
        set { service.settings.withLock { $0.clockOffset = newValue } }
    }

    /// The least bytes of a part that is not the last; 5 MiB at first, as in S3.
    public var minimumPartSize: Int {
        get { service.settings.withLock { $0.minimumPartSize } }
        set { service.settings.withLock { $0.minimumPartSize = newValue } }
    }

    /// The hook that is asked for a fault before each operation, when the head of its request has arrived.
    ///
    /// Called on the connection's thread.
    public var fault: @Sendable (Operation) -> Fault? {
        get { service.settings.withLock { $0.fault } }
        set { service.settings.withLock { $0.fault = newValue } }
    }

    /// All HTTP requests so far, without their bodies.
    public var requests: [LoopbackServer.Request] { server.requests }

    /// The operations so far, in order of arrival; refused ones are among them.
    public var operations: [Operation] { service.log.withLock { $0.operations } }

    /// The number of operations of `kind` so far.
    public func count(of kind: Operation.Kind) -> Int {
        service.log.withLock { $0.counts[kind, default: 0] }
    }

    /// The uploads in parts that were begun and neither completed nor aborted, in no order.
    public var uploads: [Upload] { service.contents.withLock { Array($0.uploads.values) } }

    /// The keys in a bucket, in order; empty if there is no such bucket, or if its objects are generated.
    public func objects(in bucket: String) -> [String] {
        service.contents.withLock { $0.buckets[bucket]?.keys.map(\.text) ?? [] }
    }

    /// The object at a key; nil if there is none.
    public func object(_ key: String, in bucket: String) -> Object? {
        service.contents.withLock { $0.buckets[bucket]?[ObjectKey(key)] }
    }

    /// Stores an object without a request.
    ///
    /// `headers` are stored with it, by names in lower case. The bucket must exist, and its objects may not be generated.
    public func put(_ data: Data, key: String, bucket: String, headers: [String: String] = [:]) {
        service.put(data, key: key, bucket: bucket, headers: headers)
    }

    /// Removes an object without a request, for good; a bucket must not have versions.
    public func remove(_ key: String, bucket: String) {
        service.contents.withLock { $0.buckets[bucket]?.removeVersion("null", of: ObjectKey(key)) }
    }

    /// Closes the port and all connections.
    public func stop() {
        server.stop()
    }
}
