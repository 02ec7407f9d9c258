import Files
import Foundation
import Imaging

/// A file in the destination that was looked at as a whole.
struct AdoptableFile: Sendable {
    /// The longest file that is read, in bytes.
    private static let longest = 1 << 31

    /// The path relative to the destination.
    let path: String
    let bytes: Int
    /// SHA-256 in hexadecimal.
    let sha256: String
    let size: PixelSize
    let format: ImageFormat
    /// The time of its last change, in nanoseconds since 1970.
    let modified: Int64

    /// Reads the file at `path` in `folder` and decodes all of it within `limits`; nil if nothing is there.
    ///
    /// `check` gets its size in pixels before it is decoded.
    /// - Throws: `RefusedFile` for one that is no image in one of `formats`, or that `check` refuses; `FileError` for trouble of
    ///   this machine.
    init?(
        _ path: String,
        in folder: Folder,
        formats: [ImageFormat],
        limits: ImageLimits,
        check: (PixelSize) throws(RefusedFile) -> Void
    ) throws {
        guard let (data, modified) = try Self.read(path, in: folder) else { return nil }
        guard !data.isEmpty else { throw RefusedFile(.empty, "it has no bytes") }
        do {
            let header = try ImageHeader.read(data)
            guard formats.contains(header.format) else {
                let wanted = formats.map { $0.rawValue.uppercased() }.joined(separator: ", ")
                throw RefusedFile(
                    .format,
                    "it is in \(header.format.rawValue.uppercased()), not in \(wanted)"
                )
            }
            try check(header.size)
            // An end that is missing shows in a whole decode alone.
            let smallest = PixelSize(width: 1, height: 1)
            _ = try ImageDecoder.decode(data, header: header, covering: smallest, limits: limits)
            (size, format) = (header.size, header.format)
        } catch let error as ImagingError {
            throw RefusedFile(error)
        }
        (self.path, self.modified) = (path, modified)
        (bytes, sha256) = (data.count, Digest.sha256.hex(of: data))
    }

    private static func read(_ path: String, in folder: Folder) throws -> (data: Data, modified: Int64)? {
        let notFile = RefusedFile(.notFile, "it is no regular file, and links are not followed")
        do {
            guard let status = try folder.examine(path) else { return nil }
            guard status.isFile else { throw notFile }
            let file = try folder.readWithStatus(path, limit: longest)
            return (file.data, file.status.modified)
        } catch let error as FileError {
            if error.isMissing { return nil }
            if error.isAboutName || error.code == ENOTDIR { throw notFile }
            guard !error.isLocalTrouble else { throw error }
            throw RefusedFile(.unreadable, error.description)
        }
    }
}

extension RefusedFile {
    init(_ error: ImagingError) {
        switch error.reason {
        case .corrupt, .truncated: self.init(.damaged, error.message)
        case .wrongType: self.init(.format, error.message)
        case .limits, .unsupported, .unconfined, .processing, .memory, .plugIn:
            self.init(.unreadable, error.message)
        }
    }
}
