/// The classes of EXIF's tags (CIPA DC-008-2023, 4.6), of Windows' texts and of DNG's serial number.
///
/// A tag has a class only in its own directory. Those that describe the pixels of the original, such as the area of the
/// subject, have none.
enum EXIFFields {
    /// The tags of the first directory.
    static let main = table([
        .rights: [0x013B, 0x8298],
        .date: [0x0132],
        .camera: [0x010F, 0x0110],
        .identifiers: [0xC62F],
        .description: [0x010D, 0x010E, 0x9C9B, 0x9C9C, 0x9C9E, 0x9C9F],
    ])

    /// The tags of the directory of exposure.
    static let exposure = table([
        .date: [0x9003, 0x9004, 0x9010, 0x9011, 0x9012, 0x9290, 0x9291, 0x9292],
        .camera: [
            0x829A, 0x829D, 0x8822, 0x8827, 0x8830, 0x8831, 0x8832, 0x8833, 0x8834, 0x8835, 0x9201, 0x9202,
            0x9203, 0x9204, 0x9205, 0x9206, 0x9207, 0x9208, 0x9209, 0x920A, 0xA20B, 0xA215, 0xA217, 0xA300,
            0xA301, 0xA401, 0xA402, 0xA403, 0xA404, 0xA405, 0xA406, 0xA407, 0xA408, 0xA409, 0xA40A, 0xA40C,
            0xA432, 0xA433, 0xA434,
        ],
        .identifiers: [0xA420, 0xA430, 0xA431, 0xA435, 0xA437, 0xA438],
        .description: [0x9286, 0xA436],
    ])

    /// The tags of the GPS directory.
    static let location = table([.location: Array(0...0x1F)])

    private static func table(_ tags: [MetadataClass: [Int]]) -> [Int: MetadataClass] {
        var classes: [Int: MetadataClass] = [:]
        for (field, tags) in tags { for tag in tags { classes[tag] = field } }
        return classes
    }
}
