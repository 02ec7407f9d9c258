#if AVIF || HEIC || PlugIns
internal import Foundation

extension MediaBoxes {
    /// The brightest light of the primary image (clli), and that of the screen on which it was made (mdcv), in cd/m²; nil if not told.
    ///
    /// Both boxes (ISO/IEC 14496-12) are among the properties that the image is associated with (ISO/IEC 23008-12).
    static func brightness(of data: Data) -> [Double?] {
        let bytes = ByteReader(data)
        let boxes = bytes.itemBoxes
        guard let primary = boxes.first(where: { $0.type == "pitm" }).flatMap({ primaryItem(bytes, $0) }),
            let described = boxes.first(where: { $0.type == "iprp" }).map({ bytes.boxes(in: $0.content) }),
            let container = described.first(where: { $0.type == "ipco" })
        else { return [] }
        let properties = bytes.boxes(in: container.content)
        let own = described.filter { $0.type == "ipma" }
            .flatMap { associations(bytes, $0, of: primary) }
            .compactMap { properties.indices.contains($0 - 1) ? properties[$0 - 1] : nil }
        func start(_ type: String, bytes count: Int) -> Int? {
            own.first { $0.type == type && $0.content.count >= count }?.content.lowerBound
        }
        return [
            start("clli", bytes: 4).flatMap { bytes.bigEndian16(at: $0) }.map(Double.init),
            start("mdcv", bytes: 24).flatMap { bytes.brightness(at: $0 + 16) },
        ]
    }

    private static func primaryItem(_ bytes: ByteReader, _ box: MediaBox) -> Int? {
        let start = box.content.lowerBound
        return bytes.itemID(at: start + 4, size: bytes.byte(at: start) == 0 ? 2 : 4)
    }

    /// The numbers of an item's properties in a box of associations (ipma), which count from 1.
    private static func associations(_ bytes: ByteReader, _ box: MediaBox, of item: Int) -> [Int] {
        var at = box.content.lowerBound
        guard let version = bytes.byte(at: at), let flags = bytes.byte(at: at + 3),
            let entries = bytes.bigEndian32(at: at + 4)
        else { return [] }
        let (idSize, size) = (version == 0 ? 2 : 4, flags & 1 == 0 ? 1 : 2)
        at += 8
        // A hostile count may be far more than the box holds.
        for _ in 0..<entries {
            guard at < box.content.upperBound, let count = bytes.byte(at: at + idSize),
                let id = bytes.itemID(at: at, size: idSize)
            else { break }
            at += idSize + 1
            if id == item {
                // The highest bit tells that a reader must know the property.
                return (0..<count).compactMap { index in
                    size == 1
                        ? bytes.byte(at: at + index).map { $0 & 0x7F }
                        : bytes.bigEndian16(at: at + 2 * index).map { $0 & 0x7FFF }
                }
            }
            at += count * size
        }
        return []
    }
}
#endif
