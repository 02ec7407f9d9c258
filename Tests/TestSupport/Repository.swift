public import Foundation

/// The project's own files, for tests that use its samples and photographs.
public enum Repository {
    /// The folder that holds `Package.swift`.
    public static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folder with the photographs that the samples use.
    public static let photos = root.appendingPathComponent("Jobs/photos")

    /// The bytes of one of the photographs.
    /// - Throws: the error of the read.
    public static func photo(_ name: String) throws -> Data {
        try Data(contentsOf: photos.appendingPathComponent(name))
    }
}
