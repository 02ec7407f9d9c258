import Foundation
import Imaging
import TestSupport

/// Small images of each format with the same metadata: EXIF data with an orientation, a GPS location and a thumbnail;
/// XMP; and IPTC datasets if the format supports them.
enum DescribedFiles {
    static let width = 64
    static let height = 40

    /// EXIF data: the higher byte first, the thumbnail last; other entries may claim to lead to parts of it.
    static func exif(thumbnail: [UInt8] = Array("thumb!".utf8), strip: Range<Int>? = nil) -> [UInt8] {
        // Directories one after another, each with its values behind it; their sizes do not depend on offsets.
        func parts(_ at: [Int]) -> [[UInt8]] {
            [
                directory(
                    [
                        (0x0112, 3, 1, [0, 6]), (0x013B, 2, 6, Array("Ansel\0".utf8)),
                        (0x8298, 2, 10, Array("(c) Ansel\0".utf8)), (0x8769, 4, 1, bytes32(at[1])),
                        (0x8825, 4, 1, bytes32(at[2])),
                    ],
                    at: at[0],
                    next: at[3]
                ),
                directory(details, at: at[1]), directory(gps, at: at[2]),
                directory(
                    [(0x0201, 4, 1, bytes32(at[4])), (0x0202, 4, 1, bytes32(thumbnail.count))]
                        + (strip.map {
                            [
                                (0x0111, 4, 1, bytes32(at[4] + $0.lowerBound)),
                                (0x0117, 4, 1, bytes32($0.count)),
                            ]
                        } ?? []),
                    at: at[3]
                ),
            ]
        }
        var offsets = [8]
        for part in parts([0, 0, 0, 0, 0]) { offsets.append((offsets.last ?? 0) + part.count) }
        let head: [UInt8] = [0x4D, 0x4D, 0, 42] + bytes32(8)
        return head + parts(offsets).flatMap { $0 } + thumbnail
    }

    private typealias Entry = (tag: Int, type: Int, count: Int, bytes: [UInt8])

    private static let details: [Entry] = [
        (0x9003, 2, 20, Array("2024:05:06 07:08:09\0".utf8)), (0x927C, 7, 12, Array("secret maker".utf8)),
        (0xA001, 3, 1, [0xFF, 0xFF]), (0xA002, 4, 1, bytes32(999)), (0xA003, 3, 1, [3, 0x78]),
    ]

    private static let gps: [Entry] = [
        (1, 2, 2, [0x4E, 0]), (2, 5, 3, [51, 1, 30, 1, 0, 1].flatMap(bytes32)),
    ]

    private static func directory(_ entries: [Entry], at offset: Int, next: Int = 0) -> [UInt8] {
        var head = [0, UInt8(entries.count)]
        var tail: [UInt8] = []
        for (tag, type, count, bytes) in entries {
            head += [UInt8(tag >> 8), UInt8(tag & 255), 0, UInt8(type)] + bytes32(count)
            if bytes.count <= 4 {
                head += bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
            } else {
                head += bytes32(offset + 2 + 12 * entries.count + 4 + tail.count)
                tail += bytes + [UInt8](repeating: 0, count: bytes.count & 1)
            }
        }
        return head + bytes32(next) + tail
    }

    /// XMP as attributes and as elements, with a prefix of its own for Dublin Core.
    static let xmp = """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description rdf:about="" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:exif="http://ns.adobe.com/exif/1.0/"
          xmlns:pur="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
          xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/"
          xmlns:plus="http://ns.useplus.org/ldf/xmp/1.0/" xmlns:g="http://ns.adobe.com/xap/1.0/g/img/"
          tiff:Orientation="6" exif:GPSLatitude="51,30N" photoshop:Credit="Ansel &amp; Sons" xmpRights:Marked="True">
        <exif:PixelXDimension>999</exif:PixelXDimension>
        <pur:rights><rdf:Alt><rdf:li xml:lang="x-default">© Ansel &lt;1942&gt;</rdf:li></rdf:Alt></pur:rights>
        <pur:creator><rdf:Seq><rdf:li>Ansel</rdf:li><rdf:li>Virginia</rdf:li></rdf:Seq></pur:creator>
        <pur:title><rdf:Alt><rdf:li xml:lang="x-default">secret title</rdf:li></rdf:Alt></pur:title>
        <plus:Licensor><rdf:Seq><rdf:li rdf:parseType="Resource"><plus:LicensorURL>https://example.com/ask</plus:LicensorURL>\
        <exif:GPSLatitude>51,30N</exif:GPSLatitude></rdf:li></rdf:Seq></plus:Licensor>
        <xmp:Thumbnails><rdf:Alt><rdf:li rdf:parseType="Resource"><g:image>c21hbGw=</g:image></rdf:li></rdf:Alt></xmp:Thumbnails>
        </rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
        """

    /// Datasets: a character set, a creator, a credit, a notice, and a caption.
    static func iptc(notice: [UInt8] = Array("© Ansel in IIM".utf8)) -> [UInt8] {
        func dataset(record: UInt8, number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
            [0x1C, record, number, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
        }
        var all =
            dataset(record: 1, number: 90, [0x1B, 0x25, 0x47])
            + dataset(record: 2, number: 80, Array("Ansel <IIM>".utf8))
        all +=
            dataset(record: 2, number: 110, Array("Credit in IIM".utf8))
            + dataset(record: 2, number: 116, notice)
        return all + dataset(record: 2, number: 120, Array("secret caption".utf8))
    }

    /// A block of Photoshop's before the one of the datasets, and that.
    static func resources(_ iptc: [UInt8]) -> [UInt8] {
        var blocks: [UInt8] = Array("8BIM".utf8) + [4, 0x25, 3]
        blocks += Array("abc".utf8) + bytes32(3) + [1, 2, 3, 0]
        blocks += Array("8BIM".utf8) + [4, 4, 0, 0] + bytes32(iptc.count)
        return blocks + iptc + [UInt8](repeating: 0, count: iptc.count & 1)
    }

    // MARK: Files

    static func jpeg(
        exif: [UInt8]? = exif(),
        xmp: String? = xmp,
        iptc: [UInt8]? = iptc()
    ) throws -> Data {
        var file = try Photographs.jpeg(width: width, height: height)
        if let iptc {
            file = inserting(marker: 0xED, Array("Photoshop 3.0\0".utf8) + resources(iptc), into: file)
        }
        if let xmp {
            file = inserting(
                marker: 0xE1,
                Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(xmp.utf8),
                into: file
            )
        }
        if let exif { file = inserting(marker: 0xE1, Array("Exif\0\0".utf8) + exif, into: file) }
        return file
    }

    static func png(exif: [UInt8] = exif(), xmp: String = xmp, text: [(String, [UInt8])] = []) -> Data {
        var file = CraftedPNG(width: width, height: height, colorType: 0)
        file.raw = (0..<height).flatMap { y in [0] + (0..<width).map { UInt8($0 * 3 + y) } }
        file.extra =
            [
                ("eXIf", exif), ("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + Array(xmp.utf8)),
            ] + text
        return file.data
    }

    static func webp(exif: [UInt8] = exif(), xmp: String = xmp) throws -> Data {
        func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
            let head = Array(type.utf8) + bytes32(content.count).reversed()
            return head + content + [UInt8](repeating: 0, count: content.count & 1)
        }
        let plain = try ImageEncoder.encode(
            try ImageDecoder.decode(png()),
            as: .webp(WebPOptions(lossless: true))
        )
        let size = try ImageHeader.read(plain).storedSize
        let head: [UInt8] = [0x0C, 0, 0, 0, UInt8(size.width - 1), 0, 0, UInt8(size.height - 1), 0, 0]
        let body =
            Array("WEBP".utf8) + chunk("VP8X", head) + [UInt8](plain.dropFirst(12)) + chunk("EXIF", exif)
        let all = body + chunk("XMP ", Array(xmp.utf8))
        return Data("RIFF".utf8) + Data(bytes32(all.count).reversed() + all)
    }

    static func media(
        _ plain: Data,
        width: Int,
        height: Int,
        exifPrefix: [UInt8] = bytes32(0),
        exif: [UInt8] = exif(),
        xmp: String = xmp
    ) -> CraftedMedia {
        var file = CraftedMedia(plain, width: width, height: height)
        file.metadata = [
            ("Exif", nil, exifPrefix + exif), ("mime", "application/rdf+xml", Array(xmp.utf8)),
        ]
        return file
    }

    static func avif(exif: [UInt8] = exif(), xmp: String = xmp) throws -> Data {
        let image = try ImageDecoder.decode(try jpeg(exif: nil, xmp: nil, iptc: nil))
        let plain = try ImageEncoder.encode(image, as: .avif())
        return media(plain, width: width, height: height, exif: exif, xmp: xmp).data
    }

    /// XMP in a compressed box, EXIF data in a plain one.
    static func jxl(exif: [UInt8] = exif(), xmp: String = xmp) throws -> Data {
        let image = try ImageDecoder.decode(try jpeg(exif: nil, xmp: nil, iptc: nil))
        return CraftedJXL.container(
            try ImageEncoder.encode(image, as: .jxl(JPEGXLOptions(effort: 3))),
            boxes: [
                ("Exif", bytes32(0) + exif), ("brob", CraftedJXL.compressed("xml ", Array(xmp.utf8))),
            ]
        )
    }

    static func heic(exif: [UInt8] = exif(), xmp: String = xmp) throws -> Data {
        media(try HEICFiles.plain(), width: 64, height: 64, exif: exif, xmp: xmp).data
    }

    /// A TIFF whose EXIF and GPS directories come last.
    static func tiff(isBigTIFF: Bool = false, iptcTag: Int = 33_723) -> Data {
        let samples = (0..<width * height).map { UInt8($0 % 251) }
        var file = CraftedTIFF(width, height, photometric: 1, pixels: samples)
        file.isBigEndian = true
        file.isBigTIFF = isBigTIFF
        file.tags[274] = [6]
        let datasets = iptcTag == 33_723 ? iptc() : resources(iptc())
        file.values = [
            315: (2, 6, Array("Ansel\0".utf8)), 33_432: (2, 10, Array("(c) Ansel\0".utf8)),
            700: (1, Array(xmp.utf8).count, Array(xmp.utf8)), iptcTag: (7, datasets.count, datasets),
        ]
        if isBigTIFF { return file.data }
        func pointing(_ offset: Int) -> Data {
            file.values[34_665] = (4, 1, bytes32(offset))
            file.values[34_853] = (4, 1, bytes32(offset + directory(details, at: 0).count))
            return file.data
        }
        let end = pointing(0).count
        let making = directory(details, at: end)
        return pointing(end) + Data(making + directory(gps, at: end + making.count))
    }
}
