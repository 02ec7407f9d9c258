import Files
public import Foundation

extension LoopbackObjectStore {
    /// An object, or one version of it.
    public struct Object: Sendable {
        /// Its bytes.
        public let data: Data
        /// The entity tag with its quotes: the MD5 of the bytes, or `md5-N` of an upload in N parts.
        public let etag: String
        /// The time of its last change, by the store's clock, in whole seconds.
        public let lastModified: Date
        /// The version; nil in a bucket that keeps only the last.
        public let versionID: String?
        /// The header fields that were stored with it, by names in lower case: `content-type`, `cache-control`,
        /// `x-amz-meta-…` and others.
        public let headers: [String: String]
        /// The storage class, such as `STANDARD`.
        public let storageClass: String
        /// The checksums that were stored with it, by their header's name, such as `x-amz-checksum-sha256`.
        public let checksums: [String: String]
        /// True for the mark of a deletion in a versioned bucket.
        public let isDeleteMarker: Bool

        /// `Last-Modified`, formatted once, since every response has it.
        let modified: String

        init(
            data: Data,
            etag: String? = nil,
            lastModified: Date,
            versionID: String? = nil,
            headers: [String: String] = [:],
            storageClass: String = "STANDARD",
            checksums: [String: String] = [:],
            isDeleteMarker: Bool = false
        ) {
            self.data = data
            self.etag = etag ?? "\"\(Digest.md5.hex(of: data))\""
            self.lastModified = lastModified
            self.versionID = versionID
            self.headers = headers
            self.storageClass = storageClass
            self.checksums = checksums
            self.isDeleteMarker = isDeleteMarker
            modified = SignedDate.http(lastModified)
        }
    }
}
