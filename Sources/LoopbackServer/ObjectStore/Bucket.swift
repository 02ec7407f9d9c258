public import Foundation

extension LoopbackObjectStore {
    /// A bucket and its rules.
    public struct Bucket: Sendable {
        /// Its name.
        public var name: String
        /// The region in which it is; nil for the store's own.
        public var region: String?
        /// True if requests must say that they pay (`x-amz-request-payer: requester`).
        public var requesterPays: Bool
        /// True if every version of an object is kept.
        public var isVersioned: Bool
        /// Objects that are made up when they are asked for; a bucket with them cannot be changed.
        public var generated: GeneratedObjects?

        /// Creates a bucket.
        public init(
            _ name: String,
            region: String? = nil,
            requesterPays: Bool = false,
            isVersioned: Bool = false,
            generated: GeneratedObjects? = nil
        ) {
            self.name = name
            self.region = region
            self.requesterPays = requesterPays
            self.isVersioned = isVersioned
            self.generated = generated
        }
    }

    /// Objects that take no memory: each is computed from its number.
    public struct GeneratedObjects: Sendable {
        /// The number of objects.
        public let count: Int
        /// Returns the key of the object with a number from 0; keys must ascend by the bytes of their UTF-8.
        public let key: @Sendable (Int) -> String
        /// Returns the size that the listing reports, in bytes.
        public let size: @Sendable (Int) -> Int
        /// Returns the bytes; as many as `size` says.
        public let data: @Sendable (Int) -> Data

        /// Creates `count` objects; each holds `size` zero bytes if `data` is not given.
        public init(
            count: Int,
            key: @escaping @Sendable (Int) -> String,
            size: @escaping @Sendable (Int) -> Int = { _ in 0 },
            data: (@Sendable (Int) -> Data)? = nil
        ) {
            self.count = count
            self.key = key
            self.size = size
            self.data = data ?? { Data(count: size($0)) }
        }
    }
}
