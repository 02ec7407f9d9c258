extension LoopbackObjectStore {
    /// A request, as the store understood it.
    public struct Operation: Sendable {
        /// The operations by S3's names.
        public enum Kind: String, Sendable, CaseIterable {
            case getObject = "GetObject"
            case headObject = "HeadObject"
            case putObject = "PutObject"
            case deleteObject = "DeleteObject"
            case deleteObjects = "DeleteObjects"
            case listObjects = "ListObjectsV2"
            case createMultipartUpload = "CreateMultipartUpload"
            case uploadPart = "UploadPart"
            case listParts = "ListParts"
            case completeMultipartUpload = "CompleteMultipartUpload"
            case abortMultipartUpload = "AbortMultipartUpload"
            case listMultipartUploads = "ListMultipartUploads"
            case headBucket = "HeadBucket"
            case listBuckets = "ListBuckets"
            /// Any other request, which is answered with 501.
            case unknown = "Unknown"
        }

        /// The operation's name.
        public let kind: Kind
        /// The bucket; empty if the request names none.
        public let bucket: String
        /// The key, decoded; empty if the request names none.
        public let key: String
        /// The place among the operations of this kind, from 1.
        public internal(set) var number = 0
        /// The request; without its body in ``LoopbackObjectStore/operations``.
        public internal(set) var request: LoopbackServer.Request

        /// The decoded path, as it is signed.
        let path: String
        let parameters: QueryParameters

        /// Returns the value of a parameter of the query, decoded; nil if it was not sent.
        public func parameter(_ name: String) -> String? {
            parameters[name]
        }

        /// Returns a number from 0 up to 1 that depends only on `seed`, the kind and the number of the operation.
        ///
        /// For faults at random that a second run repeats (SplitMix64).
        public func random(seed: UInt64) -> Double {
            var mixed = seed
            for value in kind.rawValue.utf8.map(UInt64.init) + [UInt64(number)] {
                mixed = (mixed ^ value) &+ 0x9e37_79b9_7f4a_7c15
                mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
                mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
                mixed ^= mixed >> 31
            }
            return Double(mixed >> 11) / Double(1 << 53)
        }
    }
}
