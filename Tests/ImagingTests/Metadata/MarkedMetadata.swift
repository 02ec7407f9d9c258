import CImageCodecs
import Foundation
@testable import Imaging
import TestSupport

/// Metadata in which each field holds a text that names its class: `zq-CLASS-FIELD.`.
///
/// A field that belongs to no class has the class `none`.
enum MarkedMetadata {
    static func marker(_ field: MetadataClass?, _ name: String) -> String {
        "zq-\(field?.rawValue ?? "none")-\(name)."
    }

    // MARK: EXIF

    /// Texts in all tags that have a class and in others, among them maker notes, and bytes that no tag leads to.
    static let exif: [UInt8] = {
        var exif = EXIFData()
        func texts(_ part: String, _ fields: [Int: MetadataClass], others: [Int]) -> [Int: EXIFData.Value] {
            var texts: [Int: EXIFData.Value] = [:]
            for tag in others { texts[tag] = .ascii(marker(nil, "\(part)\(tag)")) }
            for (tag, field) in fields {
                // Behind the end of a text lies what it overwrote.
                let text = Array("\(marker(field, "\(part)\(tag)"))\0".utf8)
                let rest = field == .rights ? [] : Array("\(marker(nil, "rest"))\0".utf8)
                texts[tag] = .raw(type: 2, count: text.count + rest.count, text + rest)
            }
            return texts
        }
        // Software, Windows' author and rating, XMP, IPTC datasets and an unknown tag.
        let others = [0x0131, 0x9C9D, 0x4746, 0x02BC, 0x83BB, 0xC4A5, 0xEA1C]
        exif.main = texts("main", EXIFFields.main, others: others)
        // Maker notes, the area of the subject, a sound file, and tags of the other directories.
        let details = [0x9214, 0xA004, 0xA40B, 0x0001, 0x8825, 0xFDE8]
        exif.details = texts("exif", EXIFFields.exposure, others: details)
        let maker = Array(marker(nil, "maker").utf8)
        exif.details[0x927C] = .raw(type: 7, count: maker.count, maker)
        // More numbers than an exposure has may be other values.
        exif.details[0x829A] = .raw(
            type: 5,
            count: 5,
            Array((marker(nil, "numbers") + "1234567890123456789").utf8)
        )
        exif.gps = texts("gps", EXIFFields.location, others: [0x20, 0x829A])
        exif.main[0x0112] = .short(6)
        return Array(exif.data) + Array(marker(nil, "thumbnail").utf8)
    }()

    static let exifMarkers: [(MetadataClass, String)] = [
        ("main", EXIFFields.main), ("exif", EXIFFields.exposure), ("gps", EXIFFields.location),
    ].flatMap { part, fields in
        fields.filter { $0.key != 0x829A }.map { ($0.value, marker($0.value, "\(part)\($0.key)")) }
    }

    // MARK: XMP

    /// The properties of all classes; a name that stands for several is one of them.
    static let properties: [(field: MetadataClass, name: String)] = {
        var found: [(MetadataClass, String)] = []
        var number = NB_CLASS_RIGHTS
        while let name = nb_xmp_property(found.count, &number) {
            guard
                let field = MetadataClass.allCases.first(where: {
                    MetadataClass.bits([$0]) == number.rawValue
                })
            else { return [] }
            found.append((field, String(cString: name).replacing("*", with: "Any")))
        }
        return found
    }()

    static let xmpMarkers: [(MetadataClass, String)] = properties.map {
        ($0.field, marker($0.field, $0.name))
    }

    /// The ways to write a property in RDF.
    enum Spelling: CaseIterable {
        case attributes, elements, otherPrefixes, lists, structures, typedNodes
    }

    /// A packet with all properties, histories of edits, unknown namespaces, and comments.
    static func xmp(_ spelling: Spelling) -> String {
        let isForeign = spelling == .otherPrefixes
        var uris: [(prefix: String, uri: String)] = [
            ("drone-dji", "http://www.dji.com/drone-dji/1.0/"),
            ("crs", "http://ns.adobe.com/camera-raw-settings/1.0/"),
            // Prefixes that belong to other namespaces elsewhere.
            ("photoshopp", "http://example.com/photoshop/"),
            ("stEvt", "http://ns.adobe.com/xap/1.0/sType/ResourceEvent#"),
        ]
        var index = 2
        var prefix: UnsafePointer<CChar>?
        while let uri = nb_xmp_namespace(index, &prefix), let prefix {
            uris.append((String(cString: prefix), String(cString: uri)))
            index += 1
        }
        func name(_ usual: String) -> String {
            isForeign ? "n" + usual.replacing("photoshop:", with: "dc_:") : usual
        }
        let none = [
            "drone-dji:GpsLatitude", "crs:RawFileName", "photoshopp:City", "photoshop:History", "xmp:Rating",
            "xmp:CreatorTool", "xmpMM:DerivedFrom", "photoshop:DocumentAncestors", "exif:MakerNote",
            "dc:nothing",
        ]
        let all = properties.map { ($0.name, marker($0.field, $0.name)) } + none.map { ($0, marker(nil, $0)) }
        let declarations = uris.map { " xmlns:\(name($0.prefix + ":").dropLast())=\"\($0.uri)\"" }.joined()
        var (attributes, elements) = ("", "<!-- \(marker(nil, "comment")) --><?pi \(marker(nil, "pi"))?>")
        for (usual, text) in all {
            let tag = name(usual)
            let hidden = "<\(name("crs:Nested"))>\(marker(nil, "nested"))</\(name("crs:Nested"))>"
            switch spelling {
            case .attributes: attributes += " \(tag)=\"\(text)\""
            case .elements, .otherPrefixes, .typedNodes: elements += "<\(tag)><![CDATA[\(text)]]></\(tag)>"
            case .lists:
                elements +=
                    "<\(tag)><rdf:Bag><rdf:li xml:lang=\"x-default\">\(text)</rdf:li></rdf:Bag></\(tag)>"
            case .structures:
                elements += "<\(tag) rdf:parseType=\"Resource\">\(hidden)"
                elements += "<plus:Inner crs:x=\"\(marker(nil, "inner"))\">\(text)</plus:Inner>"
                // A field of a class lies within a property of each class.
                for other in ["exif:GPSAny", "dc:title", "aux:SerialNumber"] {
                    let field = properties.first { $0.name == other }?.field
                    elements += "<\(other)>\(marker(field, "within"))</\(other)>"
                }
                elements += "</\(tag)>"
            }
        }
        elements +=
            "<xmpMM:History><rdf:Seq><rdf:li stEvt:when=\"\(marker(nil, "when"))\"/></rdf:Seq></xmpMM:History>"
            .replacing("xmpMM", with: name("xmpMM:").dropLast())
            .replacing("stEvt", with: name("stEvt:").dropLast())
        let node = spelling == .typedNodes ? name("dc:Thing") : "rdf:Description"
        return """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <\(node) rdf:about="\(marker(nil, "about"))"\(declarations)\(attributes)>\(elements)</\(node)>
            </rdf:RDF></x:xmpmeta>
            """
    }

    // MARK: IPTC

    /// The datasets that become XMP, by their number in record 2.
    static let datasets: [Int: MetadataClass] = [
        80: .rights, 110: .rights, 116: .rights, 103: .identifiers, 5: .description, 12: .description,
        15: .description, 20: .description, 25: .description, 40: .description, 105: .description,
        120: .description, 122: .description, 90: .location, 92: .location, 95: .location, 100: .location,
        101: .location,
    ]

    /// The date of the datasets, as they write it and as XMP does.
    static let date = (dataset: "19990102", time: "030405+0600", xmp: "1999-01-02T03:04:05+06:00")

    /// All datasets of the first three records.
    static let iptc: [UInt8] = (1...3).flatMap { record in
        (0...255).flatMap { number -> [UInt8] in
            var text = marker(record == 2 ? datasets[number] : nil, "\(record):\(number)")
            if record == 2, number == 55 { text = date.dataset }
            if record == 2, number == 60 { text = date.time }
            let bytes = Array(text.utf8)
            return [0x1C, UInt8(record), UInt8(number), 0, UInt8(bytes.count)] + bytes
        }
    }

    static let iptcMarkers: [(MetadataClass, String)] =
        datasets.map { ($0.value, marker($0.value, "2:\($0.key)")) } + [(.date, date.xmp)]
}
