package import ObjectStorage

/// The place of a job's outputs: a folder, or a prefix of keys in a bucket.
public struct Destination: Sendable, Hashable {
    /// The two kinds of places.
    package enum Place: Sendable, Hashable {
        /// The absolute path of a folder.
        case folder(String)
        /// The bucket, and the prefix of all keys in it.
        case bucket(ObjectLocation)
    }

    /// The place.
    package let place: Place

    /// Returns the folder at an absolute path.
    public static func folder(_ path: String) -> Destination {
        Destination(place: .folder(path))
    }

    /// Returns the keys below a location.
    package static func bucket(_ location: ObjectLocation) -> Destination {
        Destination(place: .bucket(location))
    }

    /// Creates the place that a text names: `s3://bucket/prefix`, or a folder whose relative path starts from `folder`.
    /// - Throws: ``TextError`` for an invalid bucket, and for a URL of another scheme than `file:`.
    package init(_ text: String, in folder: String) throws(TextError) {
        switch try WrittenPlace(text) {
        case .path(let path): place = .folder(FilePath.absolute(path, in: folder))
        case .object(let location):
            // The slash at the end of a prefix is the one before each path.
            let key = location.key.hasSuffix("/") ? String(location.key.dropLast()) : location.key
            place = .bucket(ObjectLocation(bucket: location.bucket, key: key))
        }
    }

    private init(place: Place) {
        self.place = place
    }

    /// The absolute path of the folder; nil for a bucket.
    public var folder: String? { if case .folder(let path) = place { path } else { nil } }

    /// The bucket and the prefix; nil for a folder.
    package var bucket: ObjectLocation? {
        if case .bucket(let location) = place { location } else { nil }
    }

    /// Returns the full name of an output: the path of a file, or the URL of an object.
    package func appending(_ path: String) -> String {
        switch place {
        case .folder(let folder): "\(folder)/\(path)"
        case .bucket(let location): location.appending(path).description
        }
    }
}

extension Destination: CustomStringConvertible {
    /// The path of the folder, or `s3://bucket/prefix`.
    public var description: String {
        switch place {
        case .folder(let path): path
        case .bucket(let location): location.description
        }
    }
}
