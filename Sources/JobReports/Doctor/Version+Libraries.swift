import Imaging
public import JobManifest
import SQLite
import Transport

extension Version {
    /// The C libraries in use, such as `libjpeg-turbo 2.1.5`; loads those that are loaded when they are needed.
    public static var libraries: [String] {
        let encoders = [EncodingFormat.jpeg(), .png(), .webp(), .avif(), .jxl()].map(ImageEncoder.version)
            .filter {
                !$0.isEmpty
            }
        return encoders + [Transport.libraryVersion, "SQLite \(SQLite.libraryVersion)"]
    }

    /// Those of ``libraries`` that are there without loading them.
    public static var linkedLibraries: [String] {
        #if PlugIns
        [EncodingFormat.jpeg(), .png(), .webp()].map(ImageEncoder.version) + [
            "SQLite \(SQLite.libraryVersion)"
        ]
        #else
        libraries
        #endif
    }
}
