public import Foundation

extension LoopbackObjectStore {
    /// An upload in parts that was begun and neither completed nor aborted.
    public struct Upload: Sendable {
        /// Its identifier.
        public let id: String
        /// The bucket.
        public let bucket: String
        /// The key of the object that it will be.
        public let key: String
        /// The time at which it was begun, by the store's clock.
        public let begun: Date
        /// The parts so far, by their numbers from 1 to 10,000.
        public internal(set) var parts: [Int: Part] = [:]

        /// The fields for the object, as its request gave them.
        let fields: ObjectFields
        let algorithm: Checksum?
        let coversWholeObject: Bool
    }

    /// An uploaded part.
    public struct Part: Sendable {
        /// Its bytes.
        public let data: Data
        /// Its entity tag with quotes.
        public let etag: String
        /// The checksums that came with it, by the header's name.
        public let checksums: [String: String]
        /// The time at which it arrived.
        let lastModified: Date
    }
}
