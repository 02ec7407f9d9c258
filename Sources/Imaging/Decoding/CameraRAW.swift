internal import Foundation

/// A camera's RAW file: what its sensor measured, which a RAW converter makes into a picture.
///
/// Most are TIFFs whose first directory is a small picture, or one that TIFF readers misread. They are told from a TIFF by the
/// pixels of a colour filter array, in whatever directory, or by a mark of their own; the names of files do not matter, and
/// a camera's name in a TIFF does not make it RAW.
struct CameraRAW {
    /// The format's name: "Nikon NEF".
    let name: String

    /// Recognizes a file by its bytes; nil if it is not RAW.
    init?(_ data: Data) {
        let bytes = ByteReader(data)
        if let mark = Self.marks.first(where: { bytes.starts(with: $0.bytes, at: $0.offset) }) {
            name = mark.name
        } else if let directory = EXIFDirectory(tiff: data), let found = Self.name(of: directory) {
            name = found
        } else {
            return nil
        }
    }

    var error: ImagingError {
        .unsupported(
            "The file is a camera's RAW (\(name)), which is not supported. Convert it to JPEG, PNG or TIFF with a RAW "
                + "converter, or use the JPEG that the camera stored beside it."
        )
    }

    /// Bytes that only one format has.
    private struct Mark {
        let name: String
        let offset: Int
        let bytes: [UInt8]

        init(_ name: String, _ text: String, at offset: Int = 0) {
            self.name = name
            self.offset = offset
            bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        }
    }

    private static let marks = [
        Mark("Fujifilm RAF", "FUJIFILMCCD-RAW"), Mark("Canon CR3", "ftypcrx ", at: 4),
        Mark("Canon CR2", "II*\0\u{10}\0\0\0CR"), Mark("Canon CRW", "II\u{1A}\0\0\0HEAPCCDR"),
        Mark("Panasonic RW2", "IIU\0"), Mark("Olympus ORF", "IIRO"), Mark("Olympus ORF", "IIRS"),
        Mark("Olympus ORF", "MMOR"), Mark("Sigma X3F", "FOVb"), Mark("Minolta MRW", "\0MRM"),
        Mark("Phase One IIQ", "IIIITwaR", at: 8), Mark("Phase One IIQ", "IIIICwaR", at: 8),
        Mark("Phase One IIQ", "MMMMRawT", at: 8), Mark("Phase One IIQ", "MMMMRawC", at: 8),
    ]

    /// Names by what the tag Make begins with, in capitals.
    private static let makers = [
        ("NIKON", "Nikon NEF"), ("SONY", "Sony ARW"), ("CANON", "Canon CR2"), ("PENTAX", "Pentax PEF"),
        ("RICOH", "Pentax PEF"), ("SAMSUNG", "Samsung SRW"), ("HASSELBLAD", "Hasselblad 3FR"),
        ("PHASE ONE", "Phase One IIQ"), ("LEAF", "Leaf MOS"), ("OLYMPUS", "Olympus ORF"),
        ("OM DIGITAL", "Olympus ORF"), ("PANASONIC", "Panasonic RW2"), ("LEICA", "Leica RWL"),
        ("FUJIFILM", "Fujifilm RAF"), ("EASTMAN KODAK", "Kodak DCR"), ("KODAK", "Kodak DCR"),
        ("SEIKO EPSON", "Epson ERF"), ("EPSON", "Epson ERF"), ("MAMIYA", "Mamiya MEF"),
    ]

    /// The most directories that are looked at: of a chain that points back to itself, too.
    private static let mostDirectories = 16

    /// The name of the format of a TIFF; nil if none of its pictures is RAW.
    private static func name(of first: EXIFDirectory) -> String? {
        if first[.dngVersion] != nil { return "DNG" }
        var waiting = [first]
        var count = 0
        while let directory = waiting.popLast(), count < mostDirectories {
            count += 1
            if holdsSensorData(directory) {
                let make = first.string(.make)?.uppercased() ?? ""
                return makers.first { make.hasPrefix($0.0) }?.1 ?? "of an unknown camera"
            }
            waiting += directory.directories(.subdirectories, atMost: 8)
            if let next = directory.next { waiting.append(next) }
        }
        return nil
    }

    /// True if samples are of a colour filter array or of linear sensor data (TIFF/EP, DNG), or compressed as only Nikon
    /// and Sony do.
    private static func holdsSensorData(_ directory: EXIFDirectory) -> Bool {
        let isSensor = [32_803, 34_892].contains(directory.number(.photometric))
        return isSensor || [34_713, 32_767].contains(directory.number(.compression))
    }
}
