public import Files
public import Foundation

/// A place that keeps whole objects under keys: a folder, or a prefix of a bucket.
///
/// A key is a path without a slash at its beginning, relative to the place. An object is seen whole or not at all, and is
/// durable when a method that writes has returned. The file of a payload is read a piece at a time, so that one of any size takes
/// little memory. All methods may be called from any task; a cancelled task ends with
/// ``StoreError/Reason/cancelled``.
public protocol Store: Sendable, CustomStringConvertible {
    /// Writes an object, and replaces an older one.
    /// - Throws: ``StoreError``. The key then holds the old object or the new one.
    func put(_ payload: Payload, at key: String, _ attributes: ObjectAttributes) async throws(StoreError)
        -> ObjectFacts

    /// Writes an object unless the key is taken.
    ///
    /// Returns true if the key holds these bytes because of this call. If an answer was lost, the object itself decides.
    /// - Throws: ``StoreError``.
    func putIfAbsent(_ payload: Payload, at key: String, _ attributes: ObjectAttributes)
        async throws(StoreError) -> Bool

    /// Returns the bytes of an object, at most `limit`.
    /// - Throws: ``StoreError``; ``StoreError/Reason/notFound`` if there is none, `damaged` if they do not fit their digest,
    ///   `tooLarge` if there are more.
    func get(_ key: String, limit: Int) async throws(StoreError) -> Data

    /// Returns what is known of an object; nil if there is none.
    /// - Throws: ``StoreError``.
    func head(_ key: String) async throws(StoreError) -> ObjectFacts?

    /// Returns the next objects whose keys begin with `prefix` and stand behind `key`, in the store's order.
    ///
    /// That is the order of the keys' bytes in a folder and in Amazon S3; some other services order by folders.
    /// - Throws: ``StoreError``.
    func list(_ prefix: String, after key: String?) async throws(StoreError) -> ObjectPage

    /// Deletes an object; a missing one is no error.
    /// - Throws: ``StoreError``.
    func delete(_ key: String) async throws(StoreError)
}

extension Store {
    /// Writes an object of bytes in memory.
    /// - Throws: ``StoreError``.
    @discardableResult
    public func put(_ data: Data, at key: String, _ attributes: ObjectAttributes = ObjectAttributes())
        async throws(StoreError) -> ObjectFacts
    {
        try await put(Payload(data), at: key, attributes)
    }

    /// Returns true if the store honours the condition of ``putIfAbsent(_:at:_:)``, which it shows by refusing to write a probe twice.
    ///
    /// A service that does not know `If-None-Match: *` replaces the object.
    /// - Throws: ``StoreError`` if the probe cannot be written.
    public func honoursConditions(below prefix: String) async throws(StoreError) -> Bool {
        let key = "\(prefix).nuke-batch-probe-\(UUID().uuidString.lowercased())"
        let isNew = try await putIfAbsent(Data("first".utf8), at: key)
        let isReplaced = try await putIfAbsent(Data("second".utf8), at: key)
        try await delete(key)
        return isNew && !isReplaced
    }

    /// Writes an object of bytes in memory unless the key is taken.
    /// - Throws: ``StoreError``.
    public func putIfAbsent(_ data: Data, at key: String, _ attributes: ObjectAttributes = ObjectAttributes())
        async throws(StoreError) -> Bool
    {
        try await putIfAbsent(Payload(data), at: key, attributes)
    }
}

/// The attributes that an object is stored with; a folder ignores them.
public struct ObjectAttributes: Sendable, Hashable {
    /// The media type, such as `image/jpeg`.
    public var contentType: String?
    /// The value of `Cache-Control` with which the object is served.
    public var cacheControl: String?
    /// The storage class, such as `STANDARD_IA`.
    public var storageClass: String?
    /// Metadata by names in lower case, without the prefix `x-amz-meta-`.
    public var metadata: [String: String] = [:]

    /// Creates attributes; what is left out is the store's choice.
    public init(
        contentType: String? = nil,
        cacheControl: String? = nil,
        storageClass: String? = nil,
        metadata: [String: String] = [:]
    ) {
        self.contentType = contentType
        self.cacheControl = cacheControl
        self.storageClass = storageClass
        self.metadata = metadata
    }
}

/// The facts of an object that a store knows without reading it.
public struct ObjectFacts: Sendable, Hashable {
    /// The size in bytes.
    public var size: Int
    /// The entity tag, which changes with the bytes; nil in a folder.
    public var etag: String?
    /// The time of the last change, if the store reports it.
    public var modified: Date?
    /// SHA-256 of the bytes in hexadecimal, if the store keeps it.
    public var sha256: String?
    /// The storage class that keeps the object offline until it is restored, such as `GLACIER`; nil for others.
    public var archive: String?

    /// Creates facts.
    public init(size: Int, etag: String? = nil, modified: Date? = nil, sha256: String? = nil) {
        self.size = size
        self.etag = etag
        self.modified = modified
        self.sha256 = sha256
    }
}

/// Some objects of a store, in its order.
public struct ObjectPage: Sendable {
    /// An object in a listing.
    public struct Entry: Sendable, Hashable {
        /// The key, relative to the store.
        public let key: String
        /// The facts in the listing.
        public let facts: ObjectFacts

        /// Creates an entry.
        public init(key: String, facts: ObjectFacts) {
            (self.key, self.facts) = (key, facts)
        }
    }

    /// The objects.
    public var entries: [Entry]
    /// The key to continue behind; nil on the last page.
    public var next: String?

    /// Creates a page.
    public init(entries: [Entry], next: String? = nil) {
        (self.entries, self.next) = (entries, next)
    }
}
