import Files
import Foundation
import Testing

struct ChecksumTests {
    /// The check values of Cook's catalogue of parametrised CRC algorithms, those of the text `123456789`.
    @Test(arguments: [
        (Checksum.crc32, "cbf43926"), (.crc32c, "e3069283"), (.crc64NVMe, "ae8b14860a799888"),
    ])
    func hasTheCataloguesCheckValue(checksum: Checksum, expected: String) {
        #expect(Digest.hex(checksum.bytes(of: Data("123456789".utf8))) == expected)
    }

    /// RFC 3720, section B.4.
    @Test(arguments: [
        (Data(repeating: 0, count: 32), "8a9136aa"), (Data(repeating: 0xFF, count: 32), "62a8ab43"),
        (Data(0..<32), "46dd794e"), (Data((0..<32).reversed()), "113fdb5c"),
    ])
    func hasTheValuesOfISCSI(data: Data, expected: String) {
        #expect(Digest.hex(Checksum.crc32c.bytes(of: data)) == expected)
    }

    @Test(arguments: [Checksum.crc32, .crc32c, .crc64NVMe])
    func readsAnySlice(checksum: Checksum) {
        let data = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        for start in 0..<9 {
            let slice = data[start..<(start + 77)]
            #expect(checksum.bytes(of: slice) == checksum.bytes(of: Data(Array(slice))))
        }
        #expect(checksum.bytes(of: Data()).allSatisfy { $0 == 0 })
    }
}
