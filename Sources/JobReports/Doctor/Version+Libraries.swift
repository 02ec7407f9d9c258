import Imaging
public import JobManifest
import SQLite
import Transport

extension Version {
    /// The C libraries in use, such as `libjpeg-turbo 2.1.5`.
    public static var libraries: [String] {
        let encoders = [EncodingFormat.jpeg(), .png(), .webp(), .avif()].map(ImageEncoder.version).filter {
            !$0.isEmpty
        }
        return encoders + [Transport.libraryVersion, "SQLite \(SQLite.libraryVersion)"]
    }
}
