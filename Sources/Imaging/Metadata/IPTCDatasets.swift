internal import Foundation

/// Texts of the IPTC Information Interchange Model (IIM 4.2, chapter 6).
struct IPTCDatasets {
    /// The first byte of each dataset.
    static let marker: UInt8 = 0x1C

    /// The texts of each dataset of record 2, by its number.
    private var texts: [Int: [String]] = [:]

    /// Reads the datasets up to the first damage.
    init(_ data: Data) {
        let bytes = ByteReader(data)
        var offset = 0
        while bytes.byte(at: offset) == Int(Self.marker), let record = bytes.byte(at: offset + 1),
            let number = bytes.byte(at: offset + 2), let length = bytes.bigEndian16(at: offset + 3)
        {
            // The highest bit marks an extended length, which no dataset of text needs.
            guard length < 0x8000, length <= data.count - offset - 5 else { return }
            if record == 2 {
                texts[number, default: []].append(Self.text(bytes.slice(offset + 5..<offset + 5 + length)))
            }
            offset += 5 + length
        }
    }

    /// All texts of a dataset that may be repeated.
    func all(_ number: Int) -> [String] { texts[number] ?? [] }

    /// The text of a dataset that occurs once; the last one counts.
    func only(_ number: Int) -> String? { texts[number]?.last }

    /// Decodes UTF-8 if valid, whatever 1:90 declares, and otherwise Latin-1, which most writers use.
    private static func text(_ value: Data) -> String {
        let text = String(data: value, encoding: .utf8) ?? value.map { String(UnicodeScalar($0)) }.joined()
        // XML does not allow control characters.
        return String(text.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\n" || $0 == "\t" })
    }
}
