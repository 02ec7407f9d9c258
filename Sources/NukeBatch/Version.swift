import Imaging
import Nuke
import SQLite
import Transport

/// The program's version and those of the libraries in it.
public enum Version {
    /// Of nuke-batch and the libraries of this package (semantic versioning).
    public static let current = "0.1.0"

    /// The C libraries in use, such as `libjpeg-turbo 2.1.5`.
    public static var libraries: [String] {
        let encoders = [EncodingFormat.jpeg(), .png(), .webp()].map(ImageEncoder.version)
        return encoders + [Transport.libraryVersion, "SQLite \(SQLite.libraryVersion)"]
    }
}
