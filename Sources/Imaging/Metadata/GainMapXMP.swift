internal import CImageCodecs
internal import Foundation

/// The statements of a packet of XMP about a gain map: its numbers in Adobe's namespace `hdrgm`, and the directory of a file's pictures by
/// Google (Ultra HDR Image Format 1.1).
struct GainMapXMP {
    /// True if the packet names a version of `hdrgm`.
    private(set) var hasVersion = false
    /// The numbers; nil if they are missing or mean nothing.
    private(set) var metadata: GainMapMetadata?
    /// True if the packet describes a gain map in Apple's form.
    private(set) var isApples = false
    /// The bytes from the begin of the gain map to the end of the file, as the directory has them; nil if it names no gain map.
    private(set) var bytesToEnd: Int?
    /// The place in the packet where further descriptions can be inserted; nil if there is none.
    private(set) var end: Int?

    private static let appleType = "urn:com:apple:photo:2020:aux:hdrgainmap"
    /// The most pictures of a directory that are looked at.
    private static let mostItems = 64

    /// Reads a packet; nil if it is not well-formed XML, or larger than metadata is.
    init?(_ packet: Data) {
        var bytes: UnsafeMutablePointer<UInt8>?
        var (count, listEnd) = (0, 0)
        let status = withBytes(packet) { nb_xmp_gain_map($0, $1, &bytes, &count, &listEnd) }
        defer { nb_free(bytes) }
        guard status == NB_OK else { return nil }
        end = listEnd > 0 ? listEnd : nil
        let text = bytes.map { String(decoding: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self) }
        read((text ?? "").split(separator: "\n"))
    }

    private mutating func read(_ lines: [Substring]) {
        var values: [Substring: [Substring]] = [:]
        var items: [[Substring: Substring]] = []
        for line in lines {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            let (name, value) = (parts[0], Substring(parts[1].trimmingCharacters(in: .whitespaces)))
            switch name {
            case "Item" where items.count < Self.mostItems: items.append([:])
            case "Semantic", "Length", "Padding": if !items.isEmpty { items[items.count - 1][name] = value }
            default: values[name, default: []].append(value)
            }
        }
        hasVersion = values["Version"] != nil
        isApples = values["AuxiliaryImageType"]?.contains(Substring(Self.appleType)) ?? false
        if hasVersion { metadata = Self.metadata(values) }
        if let map = items.firstIndex(where: { $0["Semantic"] == "GainMap" }) {
            bytesToEnd = Self.length(of: items[map...])
        }
    }

    /// The bytes of the last pictures of a directory, which lie one behind another; nil if one has no length.
    private static func length(of items: ArraySlice<[Substring: Substring]>) -> Int? {
        var sum = 0
        for item in items {
            guard let length = item["Length"].flatMap({ Int($0) }), length > 0 else { return nil }
            let padding = item["Padding"].flatMap { Int($0) } ?? 0
            guard padding >= 0 else { return nil }
            sum = sum.addingClamping(length).addingClamping(padding)
        }
        return sum
    }

    /// The numbers, of which those that are missing have the values of the specification.
    private static func metadata(_ values: [Substring: [Substring]]) -> GainMapMetadata? {
        /// One number for each channel; nil if the property is not one number or three, or missing without a usual value.
        func numbers(_ name: Substring, usual: Double?) -> [Double]? {
            guard let texts = values[name] else { return usual.map { [$0, $0, $0] } }
            let numbers = texts.compactMap { Double($0) }
            guard numbers.count == texts.count else { return nil }
            return numbers.count == 1 ? [numbers[0], numbers[0], numbers[0]] : numbers
        }
        func isTrue(_ name: Substring) -> Bool { values[name]?.first?.lowercased() == "true" }
        guard let minimum = numbers("GainMapMin", usual: 0), let maximum = numbers("GainMapMax", usual: nil),
            let gamma = numbers("Gamma", usual: 1),
            let standardOffset = numbers("OffsetSDR", usual: 1 / 64),
            let highOffset = numbers("OffsetHDR", usual: 1 / 64),
            let low = numbers("HDRCapacityMin", usual: 0), let high = numbers("HDRCapacityMax", usual: nil)
        else { return nil }
        let counts = [minimum, maximum, gamma, standardOffset, highOffset].map(\.count)
        guard counts.allSatisfy({ $0 == 3 }), !low.isEmpty, !high.isEmpty else { return nil }
        return GainMapMetadata(
            channels: (0..<3).map { index in
                GainMapMetadata.Channel(
                    minimum: minimum[index],
                    maximum: maximum[index],
                    gamma: gamma[index],
                    standardOffset: standardOffset[index],
                    highOffset: highOffset[index]
                )
            },
            standardHeadroom: low[0],
            highHeadroom: high[0],
            baseIsHighRange: isTrue("BaseRenditionIsHDR")
        )
    }
}
