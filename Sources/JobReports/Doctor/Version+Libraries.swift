import Imaging
public import JobManifest
import SQLite
import Transport

extension Version {
    /// The C libraries in use, such as `libjpeg-turbo 2.1.5`.
    public static var libraries: [String] {
        let encoders = [EncodingFormat.jpeg(), .png(), .webp()].map(ImageEncoder.version)
        return encoders + [Transport.libraryVersion, "SQLite \(SQLite.libraryVersion)"]
    }
}
