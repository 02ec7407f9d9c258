import JobManifest

extension WrittenPlace {
    /// Creates the place that the value of an option names.
    /// - Throws: `UsageError` for a URL that is none of a file or an object.
    init(_ text: String, of option: String) throws(UsageError) {
        do throws(TextError) {
            self = try WrittenPlace(text)
        } catch {
            throw UsageError("\(option) \(error.description)")
        }
    }

    /// Returns the file or the object that the value of an option names.
    /// - Throws: `UsageError` for everything else, and for a bucket without a key.
    static func output(_ text: String, of option: String) throws(UsageError) -> WrittenPlace {
        let place = try WrittenPlace(text, of: option)
        guard !place.isWholeBucket else {
            throw UsageError("\(option) names no object: write s3://bucket/key")
        }
        return place
    }

    /// Creates the place of a file on this machine that the value of an option names, and returns its path.
    /// - Throws: `UsageError` for everything else.
    static func file(_ text: String, of option: String) throws(UsageError) -> String {
        switch try WrittenPlace(text, of: option) {
        case .path(let path): return path
        case .object:
            throw UsageError(
                "\(option) writes to files of this machine only: name one, and copy it to the bucket"
            )
        }
    }
}
