import Foundation
import Imaging
import TestSupport
import Testing

/// The classes of `metadata` as ExifTool sees them, which has written the original's metadata too.
@Suite(.timeLimit(.minutes(10))) struct ExifToolTests {
    private static let classes = [
        "rights", "date", "camera", "identifiers", "description", "people", "location",
    ]
    private static let formats = ["jpeg", "png", "webp", "avif", "jxl"]

    /// The values that are written, by ExifTool's names, and the class that each belongs to.
    private static let fields: [(field: String, tag: String, value: String)] = [
        ("rights", "IFD0:Artist", "Ansel"), ("rights", "IFD0:Copyright", "(c) Ansel"),
        ("rights", "XMP-dc:Creator", "Ansel"), ("rights", "XMP-dc:Rights", "(c) Ansel"),
        ("rights", "XMP-xmpRights:UsageTerms", "ask"), ("rights", "XMP-photoshop:Credit", "Agency"),
        ("rights", "XMP-iptcCore:CreatorWorkEmail", "a@example.com"),
        ("rights", "XMP-plus:LicensorURL", "https://example.com/l"),
        ("date", "IFD0:ModifyDate", "2024:05:06 07:08:09"),
        ("date", "ExifIFD:DateTimeOriginal", "2024:05:06 07:08:09"),
        ("date", "ExifIFD:CreateDate", "2024:05:06 07:08:09"),
        ("date", "ExifIFD:OffsetTimeOriginal", "+02:00"), ("date", "ExifIFD:SubSecTimeOriginal", "12"),
        ("date", "XMP-photoshop:DateCreated", "2024:05:06"),
        ("date", "XMP-xmp:CreateDate", "2024:05:06 07:08:09"), ("camera", "IFD0:Make", "Canon"),
        ("camera", "IFD0:Model", "EOS R5"), ("camera", "ExifIFD:FNumber", "2.8"),
        ("camera", "ExifIFD:ExposureTime", "0.004"), ("camera", "ExifIFD:ISO", "400"),
        ("camera", "ExifIFD:LensModel", "RF85"), ("camera", "ExifIFD:LensInfo", "85 85 1.2 1.2"),
        ("camera", "XMP-tiff:Make", "Canon"), ("camera", "XMP-exif:FNumber", "2.8"),
        ("camera", "XMP-exif:FlashFired", "False"), ("camera", "XMP-exifEX:LensModel", "RF85"),
        ("camera", "XMP-aux:Lens", "RF85"), ("identifiers", "ExifIFD:SerialNumber", "A123"),
        ("identifiers", "ExifIFD:OwnerName", "Virginia"), ("identifiers", "ExifIFD:LensSerialNumber", "L45"),
        ("identifiers", "ExifIFD:ImageUniqueID", "00112233445566778899aabbccddeeff"),
        ("identifiers", "XMP-aux:SerialNumber", "A123"), ("identifiers", "XMP-xmpMM:DocumentID", "xmp.did:1"),
        ("identifiers", "XMP-iptcExt:DigitalImageGUID", "guid-1"),
        ("description", "IFD0:ImageDescription", "A rocket"),
        ("description", "IFD0:XPKeywords", "rocket"), ("description", "ExifIFD:UserComment", "Größe"),
        ("description", "XMP-dc:Title", "Rocket"), ("description", "XMP-dc:Description", "A rocket"),
        ("description", "XMP-dc:Subject", "sky"), ("description", "XMP-photoshop:Headline", "Start"),
        ("description", "XMP-lr:HierarchicalSubject", "a|b"),
        ("people", "XMP-iptcExt:PersonInImage", "Virginia"), ("location", "GPS:GPSLatitude", "51.5"),
        ("location", "GPS:GPSLatitudeRef", "N"), ("location", "GPS:GPSLongitude", "12.25"),
        ("location", "GPS:GPSLongitudeRef", "E"), ("location", "GPS:GPSDateStamp", "2024:05:06"),
        ("location", "XMP-exif:GPSLatitude", "51.5"), ("location", "XMP-exif:GPSLongitude", "12.25"),
        ("location", "XMP-photoshop:City", "Leipzig"), ("location", "XMP-iptcCore:Location", "Markt"),
        ("location", "XMP-iptcCore:CountryCode", "DE"),
        ("location", "XMP-iptcExt:LocationShownCity", "Leipzig"),
        ("location", "XMP-iptcExt:LocationCreatedCountryName", "Germany"),
        ("none", "IFD0:Software", "Firmware"), ("none", "XMP-xmp:Rating", "4"),
        ("none", "XMP-xmp:CreatorTool", "Editor"), ("none", "XMP-crs:Version", "1"),
        ("none", "XMP-xmpMM:HistorySoftwareAgent", "Editor"),
        ("none", "XMP-xmpMM:DerivedFromDocumentID", "xmp.did:0"), ("none", "XMP-drone-dji:Latitude", "51.5"),
        ("none", "XMP-mwg-rs:RegionName", "Virginia"), ("none", "IPTC:City", "Leipzig"),
        ("none", "IPTC:Keywords", "sky"),
    ]

    private let job: JobFolder

    init() async throws {
        job = try JobFolder()
        try job.folder.write(try Repository.photo("rocket.jpg"), to: "a.jpg")
        let pixels = try Image(width: 2, height: 1, rgba: Data(count: 8))
        try job.folder.write(try ImageEncoder.encode(pixels, as: .jpeg()), to: "thumbnail.jpg")
        let values = Self.fields.map { "-\($0.tag)=\($0.value)" }
        try await exifTool(
            ["-q", "-m", "-n", "-overwrite_original"] + values + ["-ThumbnailImage<=thumbnail.jpg", "a.jpg"]
        )
    }

    @discardableResult
    private func exifTool(_ words: [String]) async throws -> String {
        let outcome = try await Program(path: "/usr/bin/env", ["exiftool"] + words, in: job.folder.path)
            .wait()
        try #require(outcome.exit == 0, "\(outcome.errors)")
        return outcome.output
    }

    /// The metadata of files by their names, without what describes the pixels and the file.
    private func metadata(_ files: String) async throws -> [String: [String: String]] {
        let groups = ["IFD", "ExifIFD", "GPS", "XMP", "IPTC", "Photoshop", "MakerNotes", "InteropIFD"]
        let text = try await exifTool(["-j", "-G1", "-n", "-m", files])
        let list = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
        )
        var found: [String: [String: String]] = [:]
        for file in list {
            let name = try #require(file["SourceFile"] as? String)
            let tags = file.filter { tag, _ in
                tag.contains(":") && groups.contains { tag.hasPrefix($0) }
            }
            found[URL(fileURLWithPath: name).lastPathComponent] = tags.mapValues { "\($0)" }
        }
        return found
    }

    @Test("each class alone, and all but each class, in each format")
    func classes() async throws {
        let original = try #require(try await metadata("a.jpg")["a.jpg"])
        // The control: everything was written, a thumbnail too.
        let missing = Self.fields.filter { original[$0.tag] == nil }
        #expect(missing.isEmpty && original["IFD1:ThumbnailImage"] != nil, "\(missing)")
        let outputs = Self.classes.flatMap { name in
            ["keep", "drop"].flatMap { key in
                Self.formats.map { format in
                    let quick = ["avif": #"{"avif": {"speed": 10}}"#, "jxl": #"{"jxl": {"effort": 1}}"#]
                    let settings = quick[format] ?? #""\#(format)""#
                    return
                        #"{"name": "\#(key)-\#(name)-\#(format)", "format": \#(settings), "path": "{output}.{ext}","#
                        + #""metadata": {"\#(key)": ["\#(name)"]}}"#
                }
            }
        }
        try job.write(
            #""sources": [{"urls": ["a.jpg"]}], "processors": [{"resize": {"width": 64}}],"#
                + #""outputs": [\#(outputs.joined(separator: ","))]"#
        )
        try await job.run()
        let made = try await metadata("out")
        #expect(made.count == 70)
        for (file, found) in made {
            let words = file.split(separator: "-")
            let expected = Self.fields.filter { field, _, _ in
                field != "none" && (field == words[1]) == (words[0] == "keep")
            }
            // ExifTool writes the version of the GPS directory by itself.
            let hasLocation = expected.contains { $0.field == "location" }
            let tags = Set(expected.map(\.tag) + (hasLocation ? ["GPS:GPSVersionID"] : []))
            #expect(Set(found.keys) == tags, "\(file): \(Set(found.keys).symmetricDifference(tags))")
            for tag in tags { #expect(found[tag] == original[tag], "\(file): \(tag)") }
        }
    }

    @Test("IPTC datasets become XMP, which ExifTool reads in each format")
    func datasets() async throws {
        try job.folder.write(try Repository.photo("rocket.jpg"), to: "b.jpg")
        try await exifTool([
            "-q", "-overwrite_original", "-IPTC:City=Leipzig", "-IPTC:Keywords=sky", "-IPTC:Keywords=fire",
            "-IPTC:Caption-Abstract=A rocket", "-IPTC:DateCreated=2024:05:06",
            "-IPTC:TimeCreated=07:08:09+02:00", "-IPTC:By-line=Ansel", "b.jpg",
        ])
        let outputs = Self.formats.map { format in
            #"{"name": "\#(format)", "format": "\#(format)", "path": "{output}.{ext}", "metadata": {"drop": ["location"]}}"#
        }
        try job.write(
            #""sources": [{"urls": ["b.jpg"]}], "processors": [{"resize": {"width": 64}}],"#
                + #""outputs": [\#(outputs.joined(separator: ","))]"#
        )
        try await job.run()
        let made = try await metadata("out")
        #expect(made.count == Self.formats.count)
        for (file, found) in made {
            #expect(
                Set(found.keys) == [
                    "XMP-dc:Creator", "XMP-dc:Description", "XMP-dc:Subject", "XMP-photoshop:DateCreated",
                ],
                "\(file): \(found)"
            )
            #expect(found["XMP-photoshop:DateCreated"] == "2024:05:06 07:08:09+02:00", "\(file)")
        }
    }

    @Test("a choice that changes makes the output again, and one of the same effect does not")
    func remakes() async throws {
        func write(_ metadata: String) throws {
            try job.write(
                #""sources": [{"urls": ["a.jpg"]}], "outputs": [{"format": "jpeg", "path": "{stem}.{ext}", "metadata": \#(metadata)}]"#
            )
        }
        try write(#""copyright""#)
        #expect(try await job.run().output.hasPrefix("1 made"))
        let rights = try job.data("out/a.jpg")
        try write(#"{"keep": ["rights"], "drop": ["location"]}"#)
        #expect(try await job.run().output.hasPrefix("nothing to do"))
        try write(#"{"drop": ["location"]}"#)
        #expect(try await job.run().output.hasPrefix("1 made"))
        #expect(try job.data("out/a.jpg") != rights)
        try write(#"{"keep": ["rights"]}"#)
        #expect(try await job.run().output.hasPrefix("1 made"))
        #expect(try job.data("out/a.jpg") == rights)
    }
}
