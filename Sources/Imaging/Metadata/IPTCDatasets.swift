internal import Foundation

/// Creator, credit and copyright notice from the IPTC Information Interchange Model (IIM 4.2, chapter 6).
struct IPTCDatasets {
    /// The first byte of each dataset.
    static let marker: UInt8 = 0x1C

    /// By-line, 2:80.
    private(set) var creators: [String] = []
    /// Credit, 2:110.
    private(set) var credit: String?
    /// Copyright Notice, 2:116.
    private(set) var notice: String?

    var isEmpty: Bool { creators.isEmpty && credit == nil && notice == nil }

    /// Reads the datasets up to the first damage.
    init(_ data: Data) {
        let bytes = ByteReader(data)
        var offset = 0
        while bytes.byte(at: offset) == Int(Self.marker), let record = bytes.byte(at: offset + 1),
            let number = bytes.byte(at: offset + 2), let length = bytes.bigEndian16(at: offset + 3)
        {
            // The highest bit marks an extended length, which no rights dataset needs.
            guard length < 0x8000, length <= data.count - offset - 5 else { return }
            let value = bytes.slice(offset + 5..<offset + 5 + length)
            switch (record, number) {
            case (2, 80): creators.append(Self.text(value))
            case (2, 110): credit = Self.text(value)
            case (2, 116): notice = Self.text(value)
            default: break
            }
            offset += 5 + length
        }
    }

    /// Decodes UTF-8 if valid, whatever 1:90 declares, and otherwise Latin-1, which most writers use.
    private static func text(_ value: Data) -> String {
        let text = String(data: value, encoding: .utf8) ?? value.map { String(UnicodeScalar($0)) }.joined()
        // XML does not allow control characters.
        return String(text.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\n" || $0 == "\t" })
    }
}
