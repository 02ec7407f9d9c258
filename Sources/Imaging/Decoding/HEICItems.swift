#if HEIC || PlugIns
internal import Foundation

/// The items of a HEIC, for files whose primary item does not exist (ISO/IEC 23008-12, section 6).
struct HEICItems {
    private static let imageTypes: Set<String> = ["hvc1", "av01", "grid", "iden", "iovl"]

    private let bytes: ByteReader
    /// The ids of all items, also of hidden ones and of those that are no images.
    private var ids: Set<Int> = []
    /// The visible images, in the order of the file.
    private var images: [Int] = []
    /// The thumbnails and auxiliary images of others, and those that others are made of.
    private var parts: Set<Int> = []
    /// The primary item, with the offset and the number of bytes of its id.
    private var primary: (id: Int, offset: Int, size: Int)?

    /// Returns the file with a primary item that exists: the first image that is no part of another one.
    ///
    /// A file whose primary item exists, of whatever kind, or in which there is no such image, is returned as it is.
    static func repaired(_ data: Data) -> Data {
        let items = HEICItems(data)
        guard let primary = items.primary, !items.ids.contains(primary.id),
            let image = items.images.first(where: { !items.parts.contains($0) }),
            primary.size == 4 || image <= 0xFFFF
        else { return data }
        var repaired = Data(data)
        let place = primary.offset..<primary.offset + primary.size
        repaired.replaceSubrange(place, with: image.bigEndianBytes(primary.size))
        return repaired
    }

    private init(_ data: Data) {
        bytes = ByteReader(data)
        for box in bytes.itemBoxes {
            let start = box.content.lowerBound
            guard let version = bytes.byte(at: start), !box.content.isEmpty else { continue }
            switch box.type {
            case "pitm":
                let size = version == 0 ? 2 : 4
                if let id = bytes.itemID(at: start + 4, size: size) { primary = (id, start + 4, size) }
            case "iinf": readEntries(in: box.content.dropFirst(version == 0 ? 6 : 8))
            case "iref": readReferences(in: box.content.dropFirst(4), idSize: version == 0 ? 2 : 4)
            default: break
            }
        }
    }

    private mutating func readEntries(in range: Range<Int>) {
        for box in bytes.boxes(in: range) where box.type == "infe" {
            let start = box.content.lowerBound
            guard let version = bytes.byte(at: start), let flags = bytes.byte(at: start + 3) else { continue }
            let size = version < 3 ? 2 : 4
            guard let id = bytes.itemID(at: start + 4, size: size) else { continue }
            ids.insert(id)
            // Entries of the first versions have no type.
            guard version >= 2, flags & 1 == 0, let type = bytes.tag(at: start + 6 + size),
                Self.imageTypes.contains(type)
            else { continue }
            images.append(id)
        }
    }

    private mutating func readReferences(in range: Range<Int>, idSize: Int) {
        for box in bytes.boxes(in: range) {
            let start = box.content.lowerBound
            guard let from = bytes.itemID(at: start, size: idSize),
                let count = bytes.bigEndian16(at: start + idSize)
            else { continue }
            switch box.type {
            case "thmb", "auxl": parts.insert(from)
            case "dimg":
                // A hostile count may be far more than the box holds.
                let first = start + idSize + 2
                let room = max(0, box.content.upperBound - first) / idSize
                parts.formUnion(
                    (0..<min(count, room)).compactMap { bytes.itemID(at: first + idSize * $0, size: idSize) }
                )
            default: break
            }
        }
    }
}
#endif
